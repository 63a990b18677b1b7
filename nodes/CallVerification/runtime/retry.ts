import type { Clock } from './clock';
import { settle, unsettle } from './settled';
import { sleepUntilStopped } from './sleepUntilStopped';
import { StoppedError, throwIfStopped } from './stopped';

export type RetryAdvice =
	| { retry: false }
	/** Worth another try; `afterMs` is what the service asked for. */
	| { retry: 'transient'; afterMs?: number }
	/** Turned away for now: trying again uses up patience, not retries. */
	| { retry: 'throttled'; afterMs?: number };

export interface RetryOptions {
	maxRetries: number;
	adviceFor: (error: unknown) => RetryAdvice;
	clock: Clock;
	/** A number from 0 up to, but not including, 1. */
	random: () => number;
	/** Starts no further try once aborted; the result is then the last failure. */
	stop?: AbortSignal;
	onRetry?: (error: unknown) => void;
}

/** With five retries up to 31 s, so that a service that is away for some seconds is hardly ever given up. */
const BASE_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;
/** Outlasts every limit per minute; a limit per day ends in an error instead of a run that never ends. */
export const THROTTLE_PATIENCE_MS = 15 * 60_000;

/** Tries until it works, or until trying again is no use. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
	const { clock, stop, onRetry } = options;
	const nextWait = createBackoff(options);
	throwIfStopped(stop);

	let result = await settle(attempt);
	while (!result.ok) {
		const waitMs = nextWait(result.error);
		if (waitMs === undefined) break;
		await sleepUntilStopped(clock, waitMs, stop);
		if (stop?.aborted) break;

		onRetry?.(result.error);
		const next = await settle(attempt);
		// Stopped while it waited for its turn: what went wrong before is the truth about it.
		if (!next.ok && next.error instanceof StoppedError) break;
		result = next;
	}
	return unsettle(result);
}

/** Gives the milliseconds to wait after a failure, or undefined when it is final. */
function createBackoff({ maxRetries, adviceFor, clock, random }: RetryOptions) {
	let retries = 0;
	let throttles = 0;
	let throttledSince: number | undefined;

	return (error: unknown): number | undefined => {
		if (error instanceof StoppedError) return undefined;
		const advice = adviceFor(error);
		if (advice.retry === false) return undefined;

		if (advice.retry === 'throttled') {
			throttledSince ??= clock.now();
			if (clock.now() - throttledSince >= THROTTLE_PATIENCE_MS) return undefined;
			return advice.afterMs ?? fullJitter(throttles++, random);
		}
		if (retries >= maxRetries) return undefined;
		const backoffMs = fullJitter(retries++, random);
		return advice.afterMs ?? backoffMs;
	};
}

/** Anything between nothing and the whole: what failed together must not come back together. */
function fullJitter(triesBefore: number, random: () => number): number {
	return random() * Math.min(LONGEST_BACKOFF_MS, BASE_MS * 2 ** triesBefore);
}
