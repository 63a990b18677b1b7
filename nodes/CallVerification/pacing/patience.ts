import type { Clock } from './clock';

/** The outcome of a request, as far as it says something about the others. */
export type Outcome =
	| { kind: 'answer' }
	/** A response that every other request would get as well. */
	| { kind: 'denial'; error: unknown }
	/** No usable response. */
	| { kind: 'silence'; error: unknown; retryAfterMs?: number };

/** Why a run gave up. */
export type GivenUp =
	| { reason: 'denial'; error: unknown; times: number }
	| {
			reason: 'silence';
			error: unknown;
			/** Wall time of the last response, or of the first request that got none. */
			since: number;
			/** The wait that the service asked for, if it was too long. */
			retryAfterMs?: number;
	  };

/** Enough to be sure that it is not about a single item. */
const MOST_DENIALS = 10;
/** Chance alone, or a limit of one per minute, can refuse the same request several times. */
const MANY_REFUSALS = 10;
const MANY_REFUSALS_MS = 60_000;
/**
 * If nothing else gets a response either, a few refusals are enough: another request may have more luck. The pauses
 * between attempts double, so that the next one still falls within the time left.
 */
const FEW_REFUSALS = 3;
const SILENT_SHARE = 1 / 4;

/** Decides when a whole run gives up, however many requests are still waiting for a better moment. */
export class Patience {
	private readonly ending = new AbortController();
	private inFlight = 0;
	private silentSince: number | undefined;
	private denials = 0;
	private lastError: unknown;
	private isWatching = false;
	private end: GivenUp | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly limitMs: number,
	) {}

	/** Aborts when the run gives up. */
	get over(): AbortSignal {
		return this.ending.signal;
	}

	get givenUp(): GivenUp | undefined {
		return this.end;
	}

	/** How long no request has had a response, and how much longer that may go on. */
	get silence(): { forMs: number; leftMs: number } | undefined {
		if (this.silentSince === undefined || this.end !== undefined) return undefined;
		const forMs = this.clock.now() - this.silentSince;
		return { forMs, leftMs: Math.max(0, this.limitMs - forMs) };
	}

	/** A request is sent. Each must be followed by one `observe`. */
	asked(): void {
		this.inFlight++;
		this.silentSince ??= this.clock.now();
		this.watch();
	}

	observe(outcome: Outcome): void {
		this.inFlight--;
		if (this.end !== undefined) return;
		if (outcome.kind === 'silence') return this.heardNothing(outcome);
		// With nothing in flight, there is nothing to wait for: our own pauses are not silence.
		this.silentSince = this.inFlight > 0 ? this.clock.now() : undefined;
		this.denials = outcome.kind === 'denial' ? this.denials + 1 : 0;
		if (outcome.kind !== 'denial' || this.denials < MOST_DENIALS) return;
		this.giveUp({ reason: 'denial', error: outcome.error, times: this.denials });
	}

	/** Whether a request refused this often, and for this long, has used up its share of the run's patience. */
	isSpentOn(refusals: number, forMs: number): boolean {
		if (refusals >= MANY_REFUSALS && forMs >= Math.min(MANY_REFUSALS_MS, this.limitMs / 5)) {
			return true;
		}
		return refusals >= FEW_REFUSALS && (this.silence?.forMs ?? 0) >= this.limitMs * SILENT_SHARE;
	}

	private heardNothing({ error, retryAfterMs = 0 }: Outcome & { kind: 'silence' }): void {
		this.lastError = error;
		if (retryAfterMs > (this.silence?.leftMs ?? this.limitMs)) this.endSilence(retryAfterMs);
	}

	/** One timer at a time. When it fires, there may have been a response, and perhaps a new silence since. */
	private watch(): void {
		if (this.isWatching || this.silence === undefined) return;
		if (this.silence.leftMs === 0) return this.endSilence();
		this.isWatching = true;
		this.clock.timer(this.silence.leftMs).addEventListener('abort', () => {
			this.isWatching = false;
			this.watch();
		});
	}

	private endSilence(retryAfterMs?: number): void {
		const since = this.clock.wallTime() - (this.silence?.forMs ?? 0);
		this.giveUp({ reason: 'silence', error: this.lastError, since, retryAfterMs });
	}

	private giveUp(end: GivenUp): void {
		this.end = end;
		this.ending.abort();
	}
}
