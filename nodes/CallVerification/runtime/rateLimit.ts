import type { Clock } from './clock';
import { sleepUntilStopped } from './sleepUntilStopped';
import { throwIfStopped } from './stopped';

/** Waits for a turn; throws a StoppedError if the run is stopped first. */
export type TakeTurn = (stop?: AbortSignal) => Promise<void>;

/**
 * A token bucket with a single token: turns are evenly spaced, and unused time does not allow a burst. Take the turn
 * last, right before sending, because waiting after it could cause a burst.
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
