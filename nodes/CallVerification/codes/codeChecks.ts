import type { IContextObject } from 'n8n-workflow';

import type { AccountDigest } from '../transport/credential';
import type { CallAttempts } from './callAttempts';
import { isTypedCodeRight } from './code';
import { isRecord } from '../contract/fields';
import type { Clock } from '../pacing/clock';
import type { TriesStore } from './triesStore';
import { WrongCode } from './wrongCode';

export type Reason =
	| 'wrongCode'
	| 'expired'
	| 'tooManyAttempts'
	| 'tooManyToday'
	| 'alreadyUsed'
	| 'callFailed';

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
	/** A fingerprint of the number, if it is known. */
	readonly phone: string | undefined;
	/** Wrong codes for the number. 0: no limit. */
	readonly maxWrongPerDay: number;
	/** When the call was started, in milliseconds since the Unix epoch, if it is known. */
	readonly startedAt: number | undefined;
	/** When the code expires, in milliseconds since the Unix epoch. */
	readonly expiresAt: number;
}

interface Surroundings {
	readonly attempts: CallAttempts;
	/** Since when this process counts, in milliseconds since the Unix epoch. */
	readonly countingSince: number;
	readonly store: Pick<TriesStore, 'take' | 'use' | 'takeWrong' | 'giveBackWrong' | 'isFull'>;
	readonly digest: AccountDigest;
	/** The node's context, which n8n keeps across retries of an execution, and stores with a failed one. */
	readonly memory: IContextObject;
	/** Different for each pass of a loop. */
	readonly pass: string | number;
	readonly isManual: boolean;
	readonly clock: Clock;
}

const DAY = 24 * 60 * 60 * 1_000;

/** Attempts and uses are remembered for at least a day, because other nodes may accept older codes. */
const KEEP = DAY;

/** With any other reason, the code was not compared. */
const COUNTED: readonly Reason[] = ['wrongCode', 'tooManyAttempts'];

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
		const { attempts, memory } = this.around;
		const wrong = this.wrongCodeOf(check);
		const reason = this.knownReason(check, wrong) ?? (await this.compare(check, wrong));
		const made = verdict(check, reason, attempts.of(check.call).tried, wrong?.left);
		if (reason === null || reason === 'wrongCode') remember(memory, id, made);
		return made;
	}

	/** Why the code is not compared, as far as this process knows. */
	private knownReason(check: CodeCheck, wrong: WrongCode | undefined): Reason | undefined {
		const { call, maxAttempts, obstacle } = check;
		const { tried, isUsed } = this.around.attempts.of(call);
		if (maxAttempts > 0 && tried >= maxAttempts) return 'tooManyAttempts';
		if (wrong?.left === 0) return 'tooManyToday';
		return isUsed ? 'alreadyUsed' : obstacle;
	}

	private async compare(check: CodeCheck, wrong: WrongCode | undefined): Promise<Reason | null> {
		const { attempts, clock } = this.around;
		const { call, expiresAt } = check;
		const now = clock.wallTime();
		// Taken before the first await, so that simultaneous checks get no extra attempts.
		const slot = attempts.take(call, Math.max(expiresAt, now + KEEP), now);
		wrong?.take(now + KEEP, now);

		const reason = await this.compareStored(check, slot, wrong);
		if (reason !== null && !COUNTED.includes(reason)) attempts.giveBack(call);
		if (reason !== 'wrongCode') await wrong?.giveBack();
		return reason;
	}

	private async compareStored(
		check: CodeCheck,
		slot: number,
		wrong: WrongCode | undefined,
	): Promise<Reason | null> {
		const { attempts, store } = this.around;
		const { call, maxAttempts } = check;
		if (this.isOlderThanProcess(check) && (await store.isFull())) return 'expired';
		const stored = maxAttempts > 0 ? await store.take(call, slot, maxAttempts) : { slot };
		if (stored === 'none') {
			attempts.raise(call, maxAttempts);
			return 'tooManyAttempts';
		}
		if (stored === 'used') {
			attempts.use(call);
			return 'alreadyUsed';
		}
		attempts.raise(call, stored.slot);
		if (wrong !== undefined && !(await wrong.store())) return 'tooManyToday';
		if (attempts.of(call).isUsed) return 'alreadyUsed';
		if (!isRight(check)) return 'wrongCode';
		attempts.use(call);
		return (await store.use(call, stored.slot, maxAttempts)) ? null : 'alreadyUsed';
	}

	/** Then only the store knows the earlier attempts, and if it is full, it may have lost them. */
	private isOlderThanProcess({ startedAt = 0 }: CodeCheck): boolean {
		return startedAt < this.around.countingSince;
	}

	private wrongCodeOf({ phone, maxWrongPerDay }: CodeCheck): WrongCode | undefined {
		if (phone === undefined || maxWrongPerDay === 0) return undefined;
		const { digest, clock } = this.around;
		const day = digest('wrong', phone, Math.floor(clock.wallTime() / DAY));
		return new WrongCode(this.around, day, maxWrongPerDay);
	}
}

function isRight({ actual, typed }: CodeCheck): boolean {
	return isTypedCodeRight(actual, typed);
}

function verdict(
	{ maxAttempts }: CodeCheck,
	reason: Reason | null,
	tried: number,
	leftToday = Infinity,
): Verdict {
	const left = maxAttempts === 0 ? Infinity : Math.max(0, maxAttempts - tried);
	const least = Math.min(left, leftToday);
	return { reason, attempts_left: least === Infinity ? null : least };
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
