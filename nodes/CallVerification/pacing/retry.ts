import type { Clock } from './clock';
import { sleepUntilStopped, StoppedError, throwIfStopped } from './stop';

/** Follows the attempts to get one response. */
export interface Attempts {
	/** An attempt may have taken effect, but there is no usable response. */
	readonly lost: () => void;
	/** Called before another attempt. It can wait, or throw if there must be none. */
	readonly again?: () => Promise<void>;
}

/** Whether any attempt was lost. */
export class LostAttempts implements Attempts {
	any = false;

	lost(): void {
		this.any = true;
	}
}

export type RetryAdvice =
	| { retry: false }
	/** Worth a retry; `afterMs` is what the service asked for. */
	| { retry: 'transient'; afterMs?: number }
	/** Refused for now: uses up no retry, unless none are allowed. The queue decides when it is sent again. */
	| { retry: 'rateLimited' };

export interface RetryOptions {
	maxRetries: number;
	adviceFor: (error: unknown) => RetryAdvice;
	/** Whether this request should fail after so many refusals in this time. */
	isHopeless: (refusals: number, forMs: number) => boolean;
	clock: Clock;
	/** From 0 up to, but not including, 1. */
	random: () => number;
	/** Once aborted, no further attempt starts, and the result is the last failure. */
	stop?: AbortSignal;
	/** Called before another attempt. If it throws, there is none. */
	onRetry?: () => Promise<void>;
}

/** With five retries up to 31 s, enough to get past an outage of some seconds. */
const BASE_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;
/** After this many refusals others go first: the problem may be this request, not the load. */
const URGENT_REFUSALS = 3;

/**
 * Retries until it works or retrying is pointless. Requests that were tried before are urgent until refused three times,
 * so that a service that accepts one request per minute completes the oldest one.
 */
export async function retry<T>(
	attempt: (isUrgent: boolean, number: number) => Promise<T>,
	options: RetryOptions,
): Promise<T> {
	const { clock, stop, onRetry } = options;
	const backoff = new Backoff(options);
	let failure: unknown;
	throwIfStopped(stop);

	for (let number = 1; ; number++) {
		try {
			return await attempt(number > 1 && backoff.isUrgent, number);
		} catch (error) {
			// Stopped while it waited to be sent, so the failure before that counts.
			if (number > 1 && error instanceof StoppedError) throw failure;
			failure = error;
		}
		const waitMs = backoff.next(failure);
		if (waitMs === undefined) throw failure;
		if (waitMs > 0) await sleepUntilStopped(clock, waitMs, stop);
		if (stop?.aborted) throw failure;
		await onRetry?.();
	}
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

/** The longest possible timer. No run waits that long: see GiveUp. */
const LONGEST_MS = 2 ** 31 - 1;

const SECONDS = /^\d+(\.\d+)?$/;
/** The only date format that HTTP still allows to be sent: "Sun, 06 Nov 1994 08:49:37 GMT". */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The milliseconds a Retry-After header asks to wait; undefined if it is missing or invalid. */
export function parseRetryAfter(header: unknown, wallTime: number): number | undefined {
	const text = String(header).trim();
	const milliseconds = SECONDS.test(text) ? Number(text) * 1000 : untilDate(text, wallTime);
	return milliseconds === undefined ? undefined : Math.min(LONGEST_MS, Math.max(0, milliseconds));
}

function untilDate(text: string, wallTime: number): number | undefined {
	if (!HTTP_DATE.test(text)) return undefined;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : date - wallTime;
}
