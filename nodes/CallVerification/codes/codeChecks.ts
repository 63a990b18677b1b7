import type { IContextObject, IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../pacing/time';
import { ExpiringMap } from '../pacing/expiringMap';
import type { AccountDigest } from '../transport/credential';
import { systemClock } from '../transport/pipeline';
import { isRecord } from '../contract/fields';
import { AttemptRow, CodeAttempts, type CountedAttempts } from './attempts';
import { isTypedCodeRight } from './call';

/** Why a code is not compared. */
type Obstacle = 'callFailed' | 'expired';
type Reason = Obstacle | 'wrongCode' | 'alreadyUsed' | 'tooManyAttempts' | 'tooManyToday';

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
	readonly obstacle: Obstacle | undefined;
	/** 0: no limit. */
	readonly maxAttempts: number;
	/** A fingerprint of the number, if it is known. */
	readonly phone: string | undefined;
	/** Wrong codes for the number. 0: no limit. */
	readonly maxWrongPerDay: number;
	/** When the call was started, if that is known. Both times are in milliseconds since the Unix epoch. */
	readonly startedAt: number | undefined;
	readonly expiresAt: number;
}

/** Of a call's code, and of the number's wrong codes today, if those are limited. Both are counted before comparing. */
interface Limits {
	readonly tries: CodeAttempts;
	readonly wrong: CodeAttempts | undefined;
}

/** Attempts and uses are remembered for at least a day, because other nodes may accept older codes. */
const DAY = 24 * 60 * 60 * 1_000;

/** With any other reason, the attempt is given back: the code was not compared, or it was not wrong. */
const COUNTED: ReadonlyArray<Reason | null> = [null, 'wrongCode', 'tooManyAttempts'];
const COUNTED_TODAY: ReadonlyArray<Reason | null> = ['wrongCode', 'tooManyToday'];

/** Per execution: an endless loop must not fill n8n's database. */
const MOST_VERDICTS = 10_000;

/** Checks in flight, by execution. */
const inFlight = new WeakMap<object, Map<string, Promise<Verdict>>>();

/** What a process knows, and since when, in milliseconds since the Unix epoch. */
const thisProcess = {
	calls: new ExpiringMap<CountedAttempts>(50_000),
	/** Apart, because codes that never expire would push out the counters of a day. */
	days: new ExpiringMap<CountedAttempts>(50_000),
	countingSince: systemClock.wallTime(),
};

/** Compares codes, and limits the attempts per call and the wrong codes per number and day. */
export class CodeChecks {
	private readonly row: AttemptRow;
	/** The node's context, which n8n keeps across retries of an execution, and stores with a failed one. */
	private readonly memory: IContextObject;
	private readonly isManual: boolean;

	constructor(
		context: IExecuteFunctions,
		private readonly digest: AccountDigest,
		private readonly clock: Clock,
		/** Different for each pass of a loop. */
		private readonly pass: string | number,
		private readonly process = thisProcess,
	) {
		this.row = new AttemptRow(context, digest);
		this.memory = context.getContext('node');
		this.isManual = context.getMode() === 'manual';
	}

	async check(check: CodeCheck): Promise<Verdict> {
		// Manual executions have no limit: whoever can edit the workflow can read the code anyway.
		if (this.isManual) {
			return verdictOf(check.obstacle ?? compared(check), check.maxAttempts || Infinity);
		}
		// n8n runs the whole node again if one item fails, so known results are reused.
		const { memory } = this;
		const id = this.digest('verdict', this.pass, check.call, check.typed);
		const known = verdictsIn(memory)[id];
		if (known !== undefined) return known;

		const running = inFlight.get(memory) ?? new Map<string, Promise<Verdict>>();
		inFlight.set(memory, running);
		const verdict = running.get(id) ?? this.decide(check, id);
		running.set(id, verdict);
		return await verdict.finally(() => running.delete(id));
	}

	private async decide(check: CodeCheck, id: string): Promise<Verdict> {
		const { memory } = this;
		const limits = this.limitsOf(check);
		const reason = knownReason(check, limits) ?? (await this.compare(check, limits));
		const { tries, wrong } = limits;
		const verdict = verdictOf(reason, Math.min(tries.left, wrong?.left ?? Infinity));
		if (reason === null || reason === 'wrongCode') {
			verdictsIn(memory)[id] = verdict;
			memory.codeVerdictCount = Number(memory.codeVerdictCount) + 1;
		}
		return verdict;
	}

	private limitsOf({ call, maxAttempts, phone, maxWrongPerDay }: CodeCheck): Limits {
		const { calls, days } = this.process;
		const tries = new CodeAttempts(calls, this.row, 'call', call, maxAttempts);
		if (phone === undefined || maxWrongPerDay === 0) return { tries, wrong: undefined };
		const day = this.digest('wrong', phone, Math.floor(this.clock.wallTime() / DAY));
		return { tries, wrong: new CodeAttempts(days, this.row, 'day', day, maxWrongPerDay) };
	}

	private async compare(check: CodeCheck, limits: Limits): Promise<Reason | null> {
		const { tries, wrong } = limits;
		const now = this.clock.wallTime();
		// Taken before the first await, so that simultaneous checks get no extra attempts.
		tries.take(Math.max(check.expiresAt, now + DAY), now);
		wrong?.take(now + DAY, now);

		const reason = await this.compareStored(check, limits);
		if (!COUNTED.includes(reason)) await tries.giveBack();
		if (!COUNTED_TODAY.includes(reason)) await wrong?.giveBack();
		return reason;
	}

	private async compareStored(check: CodeCheck, { tries, wrong }: Limits): Promise<Reason | null> {
		const isOlder = (check.startedAt ?? 0) < this.process.countingSince;
		// Only the row knows attempts from before this process, and if it is full, it may have lost them.
		if (isOlder && (await this.row.isFull())) return 'expired';
		const stored = await tries.store();
		if (stored === 'none') return 'tooManyAttempts';
		if (stored === 'used') return 'alreadyUsed';
		if ((await wrong?.store()) === 'none') return 'tooManyToday';
		if (tries.isUsed) return 'alreadyUsed';
		if (compared(check) === 'wrongCode') return 'wrongCode';
		return (await tries.use()) ? null : 'alreadyUsed';
	}
}

/** As far as this process knows. */
function knownReason({ obstacle }: CodeCheck, { tries, wrong }: Limits): Reason | undefined {
	if (tries.left === 0) return 'tooManyAttempts';
	if (wrong?.left === 0) return 'tooManyToday';
	return tries.isUsed ? 'alreadyUsed' : obstacle;
}

const compared = ({ actual, typed }: CodeCheck) =>
	isTypedCodeRight(actual, typed) ? null : 'wrongCode';

function verdictOf(reason: Reason | null, left: number): Verdict {
	return { reason, attempts_left: left === Infinity ? null : left };
}

function verdictsIn(memory: IContextObject): Record<string, Verdict | undefined> {
	if (!isRecord(memory.codeVerdicts) || Number(memory.codeVerdictCount) >= MOST_VERDICTS) {
		memory.codeVerdicts = {};
		memory.codeVerdictCount = 0;
	}
	return memory.codeVerdicts as Record<string, Verdict | undefined>;
}
