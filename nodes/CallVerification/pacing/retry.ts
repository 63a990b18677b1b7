import type { Outcome } from './limit';
import { type Clock, sleepUntilStopped, StoppedError, throwIfStopped } from './time';

/** Follows the attempts to get one response. */
export interface Attempts {
	/** An attempt may have taken effect, but there is no usable response. */
	readonly lost: () => void;
	/** Called before another attempt. It can wait, or throw if there must be none. */
	readonly again?: () => Promise<void>;
}

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
	/** Refused for now: does not count toward `maxRetries`, unless that is 0. The queue decides when it is sent again. */
	| { retry: 'rateLimited' };

export interface RetryOptions {
	maxRetries: number;
	adviceFor: (error: unknown) => RetryAdvice;
	isHopeless: GiveUp['isHopeless'];
	clock: Clock;
	/** From 0 up to, but not including, 1. */
	random: () => number;
	/** Once aborted, no further attempt starts, and the result is the last failure. */
	stop?: AbortSignal;
	beforeRetry?: Attempts['again'];
}

/** With five retries up to 31 s, enough to get past an outage of some seconds. */
const BASE_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;
/** After this many refusals others go first: the problem may be this request, not the load. */
const URGENT_REFUSALS = 3;

/**
 * Requests that were tried before are urgent until refused three times, so that a service that accepts one request per
 * minute completes the oldest one.
 */
export async function retry<T>(
	attempt: (isUrgent: boolean, number: number) => Promise<T>,
	{ maxRetries, adviceFor, isHopeless, clock, random, stop, beforeRetry }: RetryOptions,
): Promise<T> {
	let retries = 0;
	let refusals = 0;
	let refusedSince: number | undefined;
	let failure: unknown;
	throwIfStopped(stop);
	for (let number = 1; ; number++) {
		try {
			return await attempt(number > 1 && refusals < URGENT_REFUSALS, number);
		} catch (error) {
			// Stopped while it waited to be sent, so the failure before that counts.
			if (error instanceof StoppedError) throw failure ?? error;
			failure = error;
		}
		const advice = adviceFor(failure);
		if (advice.retry === false || maxRetries === 0) throw failure;
		if (advice.retry === 'rateLimited') {
			refusals++;
			refusedSince ??= clock.now();
			if (isHopeless(refusals, clock.now() - refusedSince)) throw failure;
		} else {
			if (retries >= maxRetries) throw failure;
			// Random, so that requests that failed together do not come back together.
			const backoffMs = random() * Math.min(LONGEST_BACKOFF_MS, BASE_MS * 2 ** retries);
			retries++;
			// A service that asks to wait 0 seconds must not cause a tight loop.
			const waitMs = advice.afterMs || backoffMs;
			await sleepUntilStopped(clock, waitMs, stop);
		}
		if (stop?.aborted) throw failure;
		await beforeRetry?.();
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
	const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
	const milliseconds = SECONDS.test(text) ? Number(text) * 1000 : date - wallTime;
	return Number.isNaN(milliseconds) ? undefined : Math.min(LONGEST_MS, Math.max(0, milliseconds));
}

export type GiveUpReason =
	/** This many requests in a row were refused for a reason that holds for all. */
	| { kind: 'refusesAll'; error: unknown; times: number }
	/** Since the last response, or the first request without one, in wall time; with the wait asked for, if too long. */
	| { kind: 'noResponse'; error: unknown; since: number; retryAfterMs?: number };

/** Enough to be sure that it is not about a single item. */
const MOST_REFUSALS_OF_ALL = 10;
/** Chance alone, or a limit of one per minute, can refuse the same request several times. */
const MANY_REFUSALS = 10;
const MANY_REFUSALS_MS = 60_000;
/**
 * If nothing else gets a response either, a few refusals are enough: another request may have more luck. The pauses
 * between attempts double, so that the next one still falls within the time left.
 */
const FEW_REFUSALS = 3;

export interface NoResponse {
	readonly forMs: number;
	readonly leftMs: number;
}

/** Decides when a whole run gives up, however many requests are still waiting for a better moment. */
export class GiveUp {
	reason: GiveUpReason | undefined;
	private readonly ending = new AbortController();
	readonly signal = this.ending.signal;
	private readonly overdue = new AbortController();
	/**
	 * Ends the requests in flight, too, once there was no usable response for the whole time. Giving up for another reason
	 * does not: those in flight may be paid for, and their responses may be on the way.
	 */
	readonly timeOver = this.overdue.signal;
	private inFlight = 0;
	private noResponseSince: number | undefined;
	private refusalsOfAll = 0;
	private lastError: unknown;
	private isWatching = false;

	constructor(
		private readonly clock: Clock,
		private readonly limitMs: number,
	) {}

	/** How long no request has had a usable response, and how much longer that may go on. */
	get noResponse(): NoResponse | undefined {
		return this.reason === undefined ? this.waited() : undefined;
	}

	/** Each must be followed by one `observe`. */
	sent(): void {
		this.inFlight++;
		this.noResponseSince ??= this.clock.now();
		this.watch();
	}

	observe(outcome: Outcome): void {
		this.inFlight--;
		if (outcome.kind === 'rateLimited' || outcome.kind === 'overloaded') {
			if (this.reason === undefined) this.observeFailure(outcome.error, outcome.retryAfterMs);
			return;
		}
		// After a usable response with nothing in flight, there is nothing to wait for: our own pauses do not count.
		this.noResponseSince = this.inFlight > 0 ? this.clock.now() : undefined;
		if (this.reason !== undefined) return;
		if (outcome.kind !== 'refusesAll') {
			this.refusalsOfAll = 0;
			return;
		}
		this.refusalsOfAll++;
		const { error, isCertain } = outcome;
		const times = this.refusalsOfAll;
		if (isCertain || times >= MOST_REFUSALS_OF_ALL) {
			this.giveUp({ kind: 'refusesAll', error, times });
		}
	}

	/** Ends the run if the service asks to wait longer than the run would. */
	private observeFailure(error: unknown, retryAfterMs = 0): void {
		this.lastError = error;
		const leftMs = this.noResponse?.leftMs ?? this.limitMs;
		if (retryAfterMs > leftMs) this.endWithoutResponse(retryAfterMs);
	}

	/** Whether a single request that was refused this often, for this long, should fail. */
	isHopeless(refusals: number, forMs: number): boolean {
		const { limitMs, noResponse } = this;
		const isForLong = forMs >= Math.min(MANY_REFUSALS_MS, limitMs / 5);
		if (refusals >= MANY_REFUSALS && isForLong) return true;
		const othersFailToo = (noResponse?.forMs ?? 0) >= limitMs / 4;
		return refusals >= FEW_REFUSALS && othersFailToo;
	}

	private waited(): NoResponse | undefined {
		if (this.noResponseSince === undefined) return undefined;
		const forMs = this.clock.now() - this.noResponseSince;
		return { forMs, leftMs: Math.max(0, this.limitMs - forMs) };
	}

	/** One timer at a time. When it fires, there may have been a response, and requests without one since. */
	private watch(): void {
		const waited = this.waited();
		if (this.isWatching || waited === undefined) return;
		if (waited.leftMs === 0) {
			if (this.reason === undefined) this.endWithoutResponse();
			this.overdue.abort();
			return;
		}
		this.isWatching = true;
		this.clock.timer(waited.leftMs).addEventListener('abort', () => {
			this.isWatching = false;
			this.watch();
		});
	}

	private endWithoutResponse(retryAfterMs?: number): void {
		const since = this.clock.wallTime() - (this.noResponse?.forMs ?? 0);
		this.giveUp({ kind: 'noResponse', error: this.lastError, since, retryAfterMs });
	}

	private giveUp(reason: GiveUpReason): void {
		this.reason = reason;
		this.ending.abort();
	}
}
