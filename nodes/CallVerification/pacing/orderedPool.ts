import { Breather } from './breather';
import type { Clock } from './clock';
import { onStop } from './stop';
import { settle, type Settled } from './settled';
import { StoppedError } from './stop';

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
}: PoolOptions<T>): Promise<Array<Settled<T> | undefined>> {
	const results = new Array<Settled<T> | undefined>(count).fill(undefined);
	const breather = new Breather(clock);
	const stopping = new AbortController();
	const stopNow = () => stopping.abort();
	let next = 0;

	// Each lane runs one job at a time. Only lanes wait, not jobs, so memory does not grow with the list.
	const lane = async () => {
		for (;;) {
			while (breather.isDue) await breather.breathe();
			if (next >= count || stopping.signal.aborted) return;
			const index = next++;
			const result = await settle(async () => await run(index, stopping.signal));
			if (result.ok || !(result.error instanceof StoppedError)) results[index] = result;
			if (stopOnFailure && !result.ok) stopNow();
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
	results: ReadonlyArray<Settled<T> | undefined>,
): { index: number; error: unknown } | undefined {
	for (const [index, result] of results.entries()) {
		if (result?.ok === false) return { index, error: result.error };
	}
	return undefined;
}
