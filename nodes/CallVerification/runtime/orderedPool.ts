import { Breather } from './breather';
import type { Clock } from './clock';
import { onStop } from './onStop';
import { settle, type Settled } from './settled';
import { StoppedError } from './stopped';

export interface PoolOptions<T> {
	count: number;
	/** How many jobs may be under way at once. */
	width: number;
	/**
	 * Does job `index`. `stop` tells it that no new request may start; a job that had none under way yet then
	 * throws a StoppedError.
	 */
	run: (index: number, stop: AbortSignal) => Promise<T>;
	clock: Clock;
	/** Starts no further job once aborted. */
	stop?: AbortSignal;
	/** Also starts no further job after the first failure. */
	stopOnFailure?: boolean;
}

/**
 * Runs the jobs 0 to count - 1, in this order, a bounded number at a time, and gives each its place in the result,
 * whatever finishes first. A place is undefined when its job was never run.
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

	// One lane = one job at a time. Lanes, not jobs, are what is waiting: memory does not grow with the list.
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

/** The failure a run is blamed on: that of the lowest job, so that it is the same one on every try. */
export function firstFailure<T>(
	results: ReadonlyArray<Settled<T> | undefined>,
): { index: number; error: unknown } | undefined {
	for (const [index, result] of results.entries()) {
		if (result?.ok === false) return { index, error: result.error };
	}
	return undefined;
}
