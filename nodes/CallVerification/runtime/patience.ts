import type { Clock } from './clock';

/** What a request came to, as far as it says something about the others. */
export type Outcome =
	| { kind: 'answer' }
	/** An answer that every other request would get too. */
	| { kind: 'denial'; error: unknown }
	/** No answer that is of any use. */
	| { kind: 'silence'; error: unknown; retryAfterMs?: number };

/** Why a run has stopped asking. */
export type GivenUp =
	| { reason: 'denial'; error: unknown; times: number }
	| {
			reason: 'silence';
			error: unknown;
			/** Wall time of the last answer, or of the first request that got none. */
			since: number;
			/** What the service asked for, where that was too long. */
			retryAfterMs?: number;
	  };

/** Enough to be sure that it is not about a single item. */
const MOST_DENIALS = 10;
/** Chance alone, or a limit of one per minute, can refuse the same request several times. */
const MANY_REFUSALS = 10;
const MANY_REFUSALS_MS = 60_000;
/**
 * Where nothing else is answered, either, a few have to do: another may have more luck. The pauses between two tries
 * double, so that the next one still falls into the time that is left.
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

	/** How long nobody who asked has got an answer, and how much longer that may go on. */
	get silence(): { forMs: number; leftMs: number } | undefined {
		if (this.silentSince === undefined || this.end !== undefined) return undefined;
		const forMs = this.clock.now() - this.silentSince;
		return { forMs, leftMs: Math.max(0, this.limitMs - forMs) };
	}

	/** A request is sent. Each has an outcome. */
	asked(): void {
		this.inFlight++;
		this.silentSince ??= this.clock.now();
		this.watch();
	}

	observe(outcome: Outcome): void {
		this.inFlight--;
		if (this.end !== undefined) return;
		if (outcome.kind === 'silence') return this.heardNothing(outcome);
		// Where nobody asks, nobody can answer: a pause of our own is no silence.
		this.silentSince = this.inFlight > 0 ? this.clock.now() : undefined;
		this.denials = outcome.kind === 'denial' ? this.denials + 1 : 0;
		if (outcome.kind !== 'denial' || this.denials < MOST_DENIALS) return;
		this.giveUp({ reason: 'denial', error: outcome.error, times: this.denials });
	}

	/** Whether a request that was refused so often, and for so long, has had its share of the run's patience. */
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

	/** One timer at a time. It may find that there was an answer meanwhile, and perhaps a new silence since. */
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
