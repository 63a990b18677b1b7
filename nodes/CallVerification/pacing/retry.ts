import type { Clock } from './clock';
import { settle, unsettle } from './settled';
import { sleepUntilStopped } from './sleepUntilStopped';
import { StoppedError, throwIfStopped } from './stopped';

export type RetryAdvice =
	| { retry: false }
	/** Worth a retry; `afterMs` is what the service asked for. */
	| { retry: 'transient'; afterMs?: number }
	/** Refused for now: a retry uses up patience, not retries, unless there are none. The limit decides when. */
	| { retry: 'rateLimited' };

export interface RetryOptions {
	maxRetries: number;
	adviceFor: (error: unknown) => RetryAdvice;
	/** Whether to give up after this many refusals in this time. */
	isHopeless: (refusals: number, forMs: number) => boolean;
	clock: Clock;
	/** From 0 up to, but not including, 1. */
	random: () => number;
	/** Once aborted, no further try starts, and the result is the last failure. */
	stop?: AbortSignal;
	/** Called before another try. If it throws, there is none. */
	onRetry?: (error: unknown) => Promise<void>;
}

/** With five retries up to 31 s, enough to get past an outage of some seconds. */
const BASE_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;
/** After this many refusals others go first: the problem may be this request, not the load. */
const URGENT_REFUSALS = 3;

/**
 * Retries until it works or retrying is pointless. Requests that were tried before are urgent, so that a service that
 * accepts one request per minute completes the oldest one.
 */
export async function retry<T>(
	attempt: (isUrgent: boolean) => Promise<T>,
	options: RetryOptions,
): Promise<T> {
	const { clock, stop, onRetry } = options;
	const backoff = new Backoff(options);
	throwIfStopped(stop);

	let result = await settle(async () => await attempt(false));
	while (!result.ok) {
		const waitMs = backoff.next(result.error);
		if (waitMs === undefined) break;
		if (waitMs > 0) await sleepUntilStopped(clock, waitMs, stop);
		if (stop?.aborted) break;

		await onRetry?.(result.error);
		const next = await settle(async () => await attempt(backoff.isUrgent));
		// Stopped while waiting for its turn, so the failure before that counts.
		if (!next.ok && next.error instanceof StoppedError) break;
		result = next;
	}
	return unsettle(result);
}

class Backoff {
	private retries = 0;
	private refusals = 0;
	private refusedSince: number | undefined;

	constructor(private readonly options: RetryOptions) {}

	get isUrgent(): boolean {
		return this.refusals < URGENT_REFUSALS;
	}

	/** Returns the milliseconds to wait after a failure, or undefined if it is final. */
	next(error: unknown): number | undefined {
		if (error instanceof StoppedError) return undefined;
		const advice = this.options.adviceFor(error);
		if (advice.retry === false) return undefined;
		return advice.retry === 'rateLimited' ? this.refused() : this.failed(advice.afterMs);
	}

	private refused(): number | undefined {
		const { clock, isHopeless, maxRetries } = this.options;
		if (maxRetries === 0) return undefined;
		this.refusedSince ??= clock.now();
		this.refusals++;
		return isHopeless(this.refusals, clock.now() - this.refusedSince) ? undefined : 0;
	}

	private failed(afterMs: number | undefined): number | undefined {
		const { maxRetries, random } = this.options;
		if (this.retries >= maxRetries) return undefined;
		// Random, so that requests that failed together do not come back together.
		const backoffMs = random() * Math.min(LONGEST_BACKOFF_MS, BASE_MS * 2 ** this.retries++);
		// A wait of 0 must not cause a tight loop.
		return afterMs || backoffMs;
	}
}
