import type { Clock } from './clock';
import { onStop, StoppedError } from './stop';

export interface PoolOptions<T> {
	count: number;
	/** How many jobs may run at once. */
	width: number;
	/**
	 * Does job `index`. After `stop`, no new request may start, and a job that has not sent any throws a StoppedError.
	 */
	run: (index: number, stop: AbortSignal) => Promise<T>;
	clock: Clock;
	/** Once aborted, no further job starts. */
	stop?: AbortSignal;
	/** Whether the first failure stops further jobs too. */
	stopOnFailure?: boolean;
}

/**
 * Starts the jobs 0 to count - 1 in order, a limited number at a time, and returns their results in the same order. A
 * result is undefined if its job never ran.
 */
export async function runInOrder<T>({
	count,
	width,
	run,
	clock,
	stop,
	stopOnFailure = false,
}: PoolOptions<T>): Promise<Array<PromiseSettledResult<T> | undefined>> {
	const results = new Array<PromiseSettledResult<T> | undefined>(count).fill(undefined);
	const slice = new TimeSlice(clock);
	const stopping = new AbortController();
	const stopNow = () => stopping.abort();
	let next = 0;

	// Each lane runs one job at a time. Only lanes wait, not jobs, so memory does not grow with the list.
	const lane = async () => {
		for (;;) {
			while (slice.isOver) await slice.next();
			if (next >= count || stopping.signal.aborted) return;
			const index = next++;
			const [result] = await Promise.allSettled([run(index, stopping.signal)]);
			const hasFailed = result.status === 'rejected';
			if (!hasFailed || !(result.reason instanceof StoppedError)) results[index] = result;
			if (stopOnFailure && hasFailed) stopNow();
		}
	};

	if (stop?.aborted) return results;
	const forget = onStop(stop, stopNow);
	await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
	forget();
	return results;
}

/** The failure to report: that of the first job, so that it is the same on every try. */
export function firstFailure<T>(
	results: ReadonlyArray<PromiseSettledResult<T> | undefined>,
): { index: number; error: unknown } | undefined {
	for (const [index, result] of results.entries()) {
		if (result?.status === 'rejected') return { index, error: result.reason };
	}
	return undefined;
}

/** Well below the 100 ms at which people notice a delay. */
const SLICE_MS = 10;

/**
 * Lets n8n do other work in between. Measured in time, not in pieces of work: a piece can be an expensive expression or
 * a result that is already there, and pausing after each of the latter would take longer than the work.
 */
export class TimeSlice {
	private startedAt: number;
	private pause: Promise<void> | undefined;

	constructor(private readonly clock: Pick<Clock, 'now' | 'sleep'>) {
		this.startedAt = clock.now();
	}

	/** Check this right before the work, or others may use up the time in between. */
	get isOver(): boolean {
		return this.clock.now() - this.startedAt >= SLICE_MS;
	}

	/** Waits for the next slice, together with all others: many pauses would end at once and leave no room in between. */
	async next(): Promise<void> {
		this.pause ??= this.clock.sleep(0).then(() => {
			this.startedAt = this.clock.now();
			this.pause = undefined;
		});
		await this.pause;
	}
}

/** Runs tasks with the same key one after the other, and others in parallel. */
export class Mutex {
	private readonly last = new Map<string, Promise<unknown>>();

	async run<T>(key: string, task: () => Promise<T>): Promise<T> {
		const before = this.last.get(key) ?? Promise.resolve();
		const mine = before.then(task, task);
		this.last.set(key, mine);
		try {
			return await mine;
		} finally {
			if (this.last.get(key) === mine) this.last.delete(key);
		}
	}
}
