import type { Clock } from './clock';
import { sleepUntilStopped } from './sleepUntilStopped';
import { throwIfStopped } from './stopped';

/** Waits for a turn; throws a StoppedError when the run is stopped before it comes. */
export type TakeTurn = (stop?: AbortSignal) => Promise<void>;

/**
 * A token bucket that holds a single token: turns come evenly spaced, and time that nobody used is not made up for by a
 * burst. Take the turn last, right before sending: whoever waits after it would send in a burst all the same.
 */
export function rateLimit(clock: Clock, perSecond: number): TakeTurn {
	const gapMs = 1000 / perSecond;
	let next = -Infinity;

	return async (stop) => {
		throwIfStopped(stop);
		const now = clock.now();
		const turn = Math.max(now, next);
		next = turn + gapMs;
		if (turn > now) await sleepUntilStopped(clock, turn - now, stop);
		throwIfStopped(stop);
	};
}
