import type { IContextObject } from 'n8n-workflow';

import type { AccountDigest } from '../api/accountDigest';
import type { CallAttempts } from '../api/callAttempts';
import { isTypedCodeRight } from '../api/code';
import { isRecord } from '../api/record';
import type { Clock } from '../runtime/clock';
import type { TriesStore } from './triesStore';

export type Reason = 'wrongCode' | 'expired' | 'tooManyAttempts' | 'alreadyUsed' | 'callFailed';

/** The result of a check. */
export interface Verdict {
	/** Null if the code matched. */
	readonly reason: Reason | null;
	/** Null if there is no limit. */
	readonly attempts_left: number | null;
}

export interface CodeCheck {
	/** A fingerprint of the call. */
	readonly call: string;
	readonly actual: string;
	readonly typed: string;
	/** Why the code is not compared. */
	readonly obstacle: 'callFailed' | 'expired' | undefined;
	/** 0: no limit. */
	readonly maxAttempts: number;
	/** When the code expires, in milliseconds since the Unix epoch. */
	readonly expiresAt: number;
}

interface Surroundings {
	readonly attempts: CallAttempts;
	readonly store: Pick<TriesStore, 'take' | 'use'>;
	readonly digest: AccountDigest;
	/** The node's context, which n8n keeps across retries of an execution, and stores with a failed one. */
	readonly memory: IContextObject;
	/** Different for each pass of a loop. */
	readonly pass: string | number;
	readonly isManual: boolean;
	readonly clock: Clock;
}

/** Attempts and uses are remembered for at least a day, because other nodes may accept older codes. */
const KEEP = 24 * 60 * 60 * 1_000;

/** Per execution, so that an endless loop does not fill n8n's database. */
const MOST_VERDICTS = 10_000;

/** Checks in flight, by execution. */
const inFlight = new WeakMap<object, Map<string, Promise<Verdict>>>();

/** Compares codes and limits the attempts. */
export class CodeChecks {
	constructor(private readonly around: Surroundings) {}

	async check(check: CodeCheck): Promise<Verdict> {
		const { digest, memory, pass, isManual } = this.around;
		// Manual executions have no limit: whoever can edit the workflow can read the code anyway.
		if (isManual) {
			return verdict(check, check.obstacle ?? (isRight(check) ? null : 'wrongCode'), 0);
		}
		// n8n runs the whole node again if one item fails, so known results are reused.
		const id = digest('verdict', pass, check.call, check.typed);
		const known = verdictsIn(memory)[id];
		if (known !== undefined) return known;

		const running = inFlight.get(memory) ?? new Map<string, Promise<Verdict>>();
		inFlight.set(memory, running);
		const answer = running.get(id) ?? this.decide(check, id);
		running.set(id, answer);
		try {
			return await answer;
		} finally {
			running.delete(id);
		}
	}

	private async decide(check: CodeCheck, id: string): Promise<Verdict> {
		const { attempts } = this.around;
		const { call, maxAttempts, obstacle } = check;
		const { tried, isUsed } = attempts.of(call);
		if (maxAttempts > 0 && tried >= maxAttempts) return verdict(check, 'tooManyAttempts', tried);
		if (isUsed) return verdict(check, 'alreadyUsed', tried);
		if (obstacle !== undefined) return verdict(check, obstacle, tried);

		const reason = await this.compare(check);
		const made = verdict(check, reason, attempts.of(call).tried);
		if (reason === null || reason === 'wrongCode') remember(this.around.memory, id, made);
		return made;
	}

	private async compare(check: CodeCheck): Promise<Reason | null> {
		const { attempts, store, clock } = this.around;
		const { call, maxAttempts, expiresAt } = check;
		const now = clock.wallTime();
		// Taken before the first await, so that simultaneous checks get no extra attempts.
		const slot = attempts.take(call, Math.max(expiresAt, now + KEEP), now);
		const stored = maxAttempts > 0 ? await store.take(call, slot, maxAttempts) : { slot };
		if (stored === 'none') {
			attempts.raise(call, maxAttempts);
			return 'tooManyAttempts';
		}
		if (stored === 'used') attempts.use(call);
		if (stored === 'used' || attempts.of(call).isUsed) {
			attempts.giveBack(call);
			return 'alreadyUsed';
		}
		attempts.raise(call, stored.slot);
		if (!isRight(check)) return 'wrongCode';
		attempts.use(call);
		return (await store.use(call, stored.slot, maxAttempts)) ? null : 'alreadyUsed';
	}
}

function isRight({ actual, typed }: CodeCheck): boolean {
	return isTypedCodeRight(actual, typed);
}

function verdict({ maxAttempts }: CodeCheck, reason: Reason | null, tried: number): Verdict {
	return { reason, attempts_left: maxAttempts === 0 ? null : Math.max(0, maxAttempts - tried) };
}

function verdictsIn(memory: IContextObject): Record<string, Verdict | undefined> {
	if (!isRecord(memory.codeVerdicts) || Number(memory.codeVerdictCount) >= MOST_VERDICTS) {
		memory.codeVerdicts = {};
		memory.codeVerdictCount = 0;
	}
	return memory.codeVerdicts as Record<string, Verdict | undefined>;
}

function remember(memory: IContextObject, id: string, made: Verdict): void {
	verdictsIn(memory)[id] = made;
	memory.codeVerdictCount = Number(memory.codeVerdictCount) + 1;
}
