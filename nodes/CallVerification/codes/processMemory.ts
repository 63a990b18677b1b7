import { ExpiringMap } from '../pacing/expiringMap';
import { Mutex } from '../pacing/time';
import { systemClock } from '../transport/pipeline';
import { CallCounts } from './callCounts';

/**
 * All that this folder remembers between runs, by fingerprints. Each n8n process has its own and starts with none; what
 * several processes have to share is in a `NodeRow` besides. Only the class that each comment names may touch it.
 */

/** Of each kind. When full, those that expire soonest are dropped. */
const MOST_REMEMBERED = 50_000;

/** For `CallLimits`. */
export class ProcessCounts {
	/** Dropped when the hour or the day of a limit is over. */
	readonly calls = new CallCounts<string | object>();
	/** Limits that others have used up, for a while: a flood of starts must not become a flood of queries. */
	readonly usedUp = new ExpiringMap<{ readonly expiresAt: number }>(MOST_REMEMBERED);
}

export const processCounts = new ProcessCounts();

/** The last call to a number by one kind of delivery. */
export interface LastCall {
	/** Fingerprint of the time slot that its key follows from. */
	readonly slot: string;
	/** Calls of the same slot before it, which were allowed because the code of each had been used. */
	readonly earlier: number;
	/** Milliseconds since the Unix epoch; undefined if another process has made it. */
	startedAt: number | undefined;
	/** Starts that made the call, or still may. */
	starts: number;
	/** What this process has added to the row for it. */
	readonly entries: string[];
	readonly expiresAt: number;
}

/** For `Cooldown`. */
export class ProcessCalls {
	/** Dropped when the cooldown is over. */
	readonly last = new ExpiringMap<LastCall>(MOST_REMEMBERED);
	readonly turns = new Mutex();
}

export const processCalls = new ProcessCalls();

/** For `UsedCalls`: calls whose codes were used, for a day. */
export class ProcessUses extends ExpiringMap<{ readonly expiresAt: number }> {
	constructor() {
		super(MOST_REMEMBERED);
	}
}

export const processUses = new ProcessUses();

/** What this process has counted. Only compared codes count, so nobody can fill its memory with invented calls. */
export interface CountedAttempts {
	tried: number;
	isUsed: boolean;
	/** Milliseconds since the Unix epoch. */
	readonly expiresAt: number;
}

/** For `CodeChecks`. */
export const processAttempts = {
	/** Dropped when the code expires, but not before a day is over. */
	calls: new ExpiringMap<CountedAttempts>(MOST_REMEMBERED),
	/** Apart, because codes that never expire would push out the counters of a day. */
	days: new ExpiringMap<CountedAttempts>(MOST_REMEMBERED),
	/** Milliseconds since the Unix epoch. */
	countingSince: systemClock.wallTime(),
};

/**
 * For `NodeRow`. n8n reads a row, adds to it and writes it back, so of two writes at once one is lost. Within a process
 * they take turns.
 */
export const rowTurns = new Mutex();

/**
 * For `NodeRow`: what this process has added to a row and nobody needs any more from some time on. It keeps the last 2,000
 * for each row; they are removed together.
 */
export const outdatedEntries = new Map<
	string,
	Array<{ readonly entries: string[]; readonly from: number }>
>();
