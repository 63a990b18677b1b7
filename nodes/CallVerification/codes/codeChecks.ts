import type { IContextObject } from 'n8n-workflow';

import type { Clock } from '../pacing/time';
import type { AccountDigest } from '../transport/credential';
import { isRecord } from '../contract/fields';
import type { AttemptStore } from './attemptStore';
import { isTypedCodeRight } from './code';
import type { CodeAttempts } from './codeAttempts';

type Reason =
	| 'wrongCode'
	| 'expired'
	| 'tooManyAttempts'
	| 'tooManyToday'
	| 'alreadyUsed'
	| 'callFailed';

interface Verdict {
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

interface Counters {
	/** In this process. */
	readonly attempts: CodeAttempts;
	/** In n8n, for all processes. */
	readonly store: AttemptStore;
}

interface CodeCheckContext extends Counters {
	/** Since when this process counts, in milliseconds since the Unix epoch. */
	readonly countingSince: number;
	readonly digest: AccountDigest;
	/** The node's context, which n8n keeps across retries of an execution, and stores with a failed one. */
	readonly memory: IContextObject;
	/** Different for each pass of a loop. */
	readonly pass: string | number;
	readonly isManual: boolean;
	readonly clock: Clock;
}

/** Attempts and uses are remembered for at least a day, because other nodes may accept older codes. */
const DAY = 24 * 60 * 60 * 1_000;

/** With any other reason, the code was not compared. */
const COUNTED: ReadonlyArray<Reason | null> = [null, 'wrongCode', 'tooManyAttempts'];

/** Per execution, so that an endless loop does not fill n8n's database. */
const MOST_VERDICTS = 10_000;

/** Checks in flight, by execution. */
const inFlight = new WeakMap<object, Map<string, Promise<Verdict>>>();

/** Compares codes, and limits the attempts per call and the wrong codes per number and day. */
export class CodeChecks {
	constructor(private readonly context: CodeCheckContext) {}

	async check(check: CodeCheck): Promise<Verdict> {
		const { digest, memory, pass, isManual } = this.context;
		// Manual executions have no limit: whoever can edit the workflow can read the code anyway.
		if (isManual) {
			return verdictOn(check, check.obstacle ?? compared(check), 0);
		}
		// n8n runs the whole node again if one item fails, so known results are reused.
		const id = digest('verdict', pass, check.call, check.typed);
		const known = verdictsIn(memory)[id];
		if (known !== undefined) return known;

		const running = inFlight.get(memory) ?? new Map<string, Promise<Verdict>>();
		inFlight.set(memory, running);
		const verdict = running.get(id) ?? this.decide(check, id);
		running.set(id, verdict);
		try {
			return await verdict;
		} finally {
			running.delete(id);
		}
	}

	private async decide(check: CodeCheck, id: string): Promise<Verdict> {
		const { attempts, memory } = this.context;
		const wrong = this.wrongCodeOf(check);
		const reason = this.knownReason(check, wrong) ?? (await this.compare(check, wrong));
		const verdict = verdictOn(check, reason, attempts.of(check.call).tried, wrong?.left);
		if (reason === null || reason === 'wrongCode') {
			verdictsIn(memory)[id] = verdict;
			memory.codeVerdictCount = Number(memory.codeVerdictCount) + 1;
		}
		return verdict;
	}

	/** Why the code is not compared, as far as this process knows. */
	private knownReason(check: CodeCheck, wrong: WrongCode | undefined): Reason | undefined {
		const { call, maxAttempts, obstacle } = check;
		const { tried, isUsed } = this.context.attempts.of(call);
		if (maxAttempts > 0 && tried >= maxAttempts) return 'tooManyAttempts';
		if (wrong?.left === 0) return 'tooManyToday';
		return isUsed ? 'alreadyUsed' : obstacle;
	}

	private async compare(check: CodeCheck, wrong: WrongCode | undefined): Promise<Reason | null> {
		const { attempts, clock } = this.context;
		const { call, expiresAt } = check;
		const now = clock.wallTime();
		// Taken before the first await, so that simultaneous checks get no extra attempts.
		const number = attempts.take(call, Math.max(expiresAt, now + DAY), now);
		wrong?.take(now);

		const reason = await this.compareStored(check, number, wrong);
		if (!COUNTED.includes(reason)) attempts.giveBack(call);
		if (reason !== 'wrongCode') await wrong?.giveBack();
		return reason;
	}

	private async compareStored(
		check: CodeCheck,
		number: number,
		wrong: WrongCode | undefined,
	): Promise<Reason | null> {
		const { attempts, store, countingSince } = this.context;
		const { call, maxAttempts, startedAt = 0 } = check;
		// Only the store knows attempts from before this process, and if it is full, it may have lost them.
		if (startedAt < countingSince && (await store.isFull())) return 'expired';
		const stored = maxAttempts > 0 ? await store.take(call, number, maxAttempts) : number;
		if (stored === 'none') {
			attempts.raise(call, maxAttempts);
			return 'tooManyAttempts';
		}
		if (stored === 'used') {
			attempts.use(call);
			return 'alreadyUsed';
		}
		attempts.raise(call, stored);
		if (wrong !== undefined && !(await wrong.store())) return 'tooManyToday';
		if (attempts.of(call).isUsed) return 'alreadyUsed';
		if (compared(check) === 'wrongCode') return 'wrongCode';
		attempts.use(call);
		return (await store.use(call, stored, maxAttempts)) ? null : 'alreadyUsed';
	}

	private wrongCodeOf({ phone, maxWrongPerDay }: CodeCheck): WrongCode | undefined {
		if (phone === undefined || maxWrongPerDay === 0) return undefined;
		const { digest, clock } = this.context;
		const day = digest('wrong', phone, Math.floor(clock.wallTime() / DAY));
		return new WrongCode(this.context, day, maxWrongPerDay);
	}
}

/** The next wrong code for a number on one day. Counted before the code is compared, and given back if it is not wrong. */
class WrongCode {
	private number = 0;

	private state: 'counted' | 'stored' | 'overLimit' = 'counted';

	constructor(
		private readonly counters: Counters,
		/** A fingerprint of the number and the day. */
		private readonly day: string,
		private readonly most: number,
	) {}

	/** How many more may be typed, as far as this process knows. */
	get left(): number {
		return Math.max(0, this.most - this.counters.attempts.of(this.day).tried);
	}

	/** Synchronous, so that simultaneous checks get no extra codes. */
	take(now: number): void {
		this.number = this.counters.attempts.take(this.day, now + DAY, now);
	}

	/** False if other processes have used up the day's wrong codes. */
	async store(): Promise<boolean> {
		const { attempts, store } = this.counters;
		const stored = await store.takeWrong(this.day, this.number, this.most);
		this.state = typeof stored === 'number' ? 'stored' : 'overLimit';
		this.number = typeof stored === 'number' ? stored : this.most;
		attempts.raise(this.day, this.number);
		return this.state === 'stored';
	}

	async giveBack(): Promise<void> {
		const { attempts, store } = this.counters;
		if (this.state !== 'overLimit') attempts.giveBack(this.day);
		if (this.state === 'stored') await store.giveBackWrong(this.day, this.number);
	}
}

function compared({ actual, typed }: CodeCheck): 'wrongCode' | null {
	return isTypedCodeRight(actual, typed) ? null : 'wrongCode';
}

function verdictOn(
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
