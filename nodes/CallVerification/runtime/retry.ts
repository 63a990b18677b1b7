import type { Clock } from './clock';
import { settle, unsettle } from './settled';
import { sleepUntilStopped } from './sleepUntilStopped';
import { StoppedError, throwIfStopped } from './stopped';

export type RetryAdvice =
	| { retry: false }
	/** Worth another try; `afterMs` is what the service asked for. */
	| { retry: 'transient'; afterMs?: number }
	/** Turned away for now: trying again uses up patience, not retries. The limit knows when. */
	| { retry: 'throttled' };

export interface RetryOptions {
	maxRetries: number;
	adviceFor: (error: unknown) => RetryAdvice;
	/** Whether one that was turned away so often, and for so long, is to be tried no more. */
	isHopeless: (refusals: number, forMs: number) => boolean;
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
/** After so many refusals others get their turn first: it may be about this one request, and not about the load. */
const URGENT_REFUSALS = 3;

/**
 * Tries until it works, or until trying again is no use. What was begun is urgent: it comes before what was not begun,
 * so that a service that takes one request in a minute ends the oldest piece of work with it.
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

		onRetry?.(result.error);
		const next = await settle(async () => await attempt(backoff.isUrgent));
		// Stopped while it waited for its turn: what went wrong before is the truth about it.
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

	/** Gives the milliseconds to wait after a failure, or undefined when it is final. */
	next(error: unknown): number | undefined {
		if (error instanceof StoppedError) return undefined;
		const advice = this.options.adviceFor(error);
		if (advice.retry === false) return undefined;
		return advice.retry === 'throttled' ? this.refused() : this.failed(advice.afterMs);
	}

	private refused(): number | undefined {
		const { clock, isHopeless } = this.options;
		this.refusedSince ??= clock.now();
		this.refusals++;
		return isHopeless(this.refusals, clock.now() - this.refusedSince) ? undefined : 0;
	}

	private failed(afterMs: number | undefined): number | undefined {
		const { maxRetries, random } = this.options;
		if (this.retries >= maxRetries) return undefined;
		// Anything between nothing and the whole: what failed together must not come back together.
		const backoffMs = random() * Math.min(LONGEST_BACKOFF_MS, BASE_MS * 2 ** this.retries++);
		// “At once” is no reason to ask again and again.
		return afterMs || backoffMs;
	}
}
