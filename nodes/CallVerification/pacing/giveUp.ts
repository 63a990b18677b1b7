import type { Clock } from './clock';
import type { Outcome } from './requestQueue';

/** Why a run gave up. */
export type GiveUpReason =
	/** This many requests in a row were refused for a reason that holds for all. */
	| { kind: 'refusesAll'; error: unknown; times: number }
	| {
			kind: 'noResponse';
			/** The last one. */
			error: unknown;
			/** Wall time of the last response, or of the first request that got none. */
			since: number;
			/** The wait that the service asked for, if it was too long. */
			retryAfterMs?: number;
	  };

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
const SHARE_WITHOUT_RESPONSE = 1 / 4;

/** Decides when a whole run gives up, however many requests are still waiting for a better moment. */
export class GiveUp {
	private readonly ending = new AbortController();
	private inFlight = 0;
	private noResponseSince: number | undefined;
	private refusalsOfAll = 0;
	private lastError: unknown;
	private isWatching = false;
	private end: GiveUpReason | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly limitMs: number,
	) {}

	/** Aborts when the run gives up. */
	get signal(): AbortSignal {
		return this.ending.signal;
	}

	/** Undefined until the run gives up. */
	get reason(): GiveUpReason | undefined {
		return this.end;
	}

	/** How long no request has had a usable response, and how much longer that may go on. */
	get noResponse(): { forMs: number; leftMs: number } | undefined {
		if (this.noResponseSince === undefined || this.end !== undefined) return undefined;
		const forMs = this.clock.now() - this.noResponseSince;
		return { forMs, leftMs: Math.max(0, this.limitMs - forMs) };
	}

	/** A request is sent. Each must be followed by one `observe`. */
	sent(): void {
		this.inFlight++;
		this.noResponseSince ??= this.clock.now();
		this.watch();
	}

	observe(outcome: Outcome): void {
		this.inFlight--;
		if (this.end !== undefined) return;
		if (outcome.kind === 'rateLimited' || outcome.kind === 'overloaded') {
			const { error, retryAfterMs = 0 } = outcome;
			this.lastError = error;
			const leftMs = this.noResponse?.leftMs ?? this.limitMs;
			if (retryAfterMs > leftMs) this.endWithoutResponse(retryAfterMs);
			return;
		}
		// After a usable response with nothing in flight, there is nothing to wait for: our own pauses do not count.
		this.noResponseSince = this.inFlight > 0 ? this.clock.now() : undefined;
		this.refusalsOfAll = outcome.kind === 'refusesAll' ? this.refusalsOfAll + 1 : 0;
		if (outcome.kind === 'ok' || this.refusalsOfAll < MOST_REFUSALS_OF_ALL) return;
		this.giveUp({ kind: 'refusesAll', error: outcome.error, times: this.refusalsOfAll });
	}

	/** Whether a single request that was refused this often, for this long, should fail. */
	isHopeless(refusals: number, forMs: number): boolean {
		if (refusals >= MANY_REFUSALS && forMs >= Math.min(MANY_REFUSALS_MS, this.limitMs / 5)) {
			return true;
		}
		const withoutResponseMs = this.noResponse?.forMs ?? 0;
		return refusals >= FEW_REFUSALS && withoutResponseMs >= this.limitMs * SHARE_WITHOUT_RESPONSE;
	}

	/** One timer at a time. When it fires, there may have been a response, and requests without one since. */
	private watch(): void {
		if (this.isWatching || this.noResponse === undefined) return;
		if (this.noResponse.leftMs === 0) return this.endWithoutResponse();
		this.isWatching = true;
		this.clock.timer(this.noResponse.leftMs).addEventListener('abort', () => {
			this.isWatching = false;
			this.watch();
		});
	}

	private endWithoutResponse(retryAfterMs?: number): void {
		const since = this.clock.wallTime() - (this.noResponse?.forMs ?? 0);
		this.giveUp({ kind: 'noResponse', error: this.lastError, since, retryAfterMs });
	}

	private giveUp(reason: GiveUpReason): void {
		this.end = reason;
		this.ending.abort();
	}
}
