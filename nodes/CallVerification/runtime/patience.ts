import type { Clock } from './clock';

/** What a request came to, as far as it says something about the others. */
export type Outcome =
	| { kind: 'answer' }
	/** An answer that every other request would get too. */
	| { kind: 'denial'; error: unknown }
	/** No answer that is of any use. */
	| { kind: 'silence'; error: unknown; startedAt: number; retryAfterMs?: number };

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

/** Decides when a whole run gives up, however many requests are still waiting for a better moment. */
export class Patience {
	private readonly ending = new AbortController();
	private silentSince: number | undefined;
	private answeredAt = -Infinity;
	private denials = 0;
	private lastError: unknown;
	private isWatching = false;
	private end: GivenUp | undefined;

	constructor(
		private readonly clock: Clock,
		readonly limitMs: number,
	) {}

	/** Aborts when the run gives up. */
	get over(): AbortSignal {
		return this.ending.signal;
	}

	get givenUp(): GivenUp | undefined {
		return this.end;
	}

	/** How long there has been no answer, and how much longer that may go on. */
	get silence(): { forMs: number; leftMs: number } | undefined {
		if (this.silentSince === undefined || this.end !== undefined) return undefined;
		const forMs = this.clock.now() - this.silentSince;
		return { forMs, leftMs: Math.max(0, this.limitMs - forMs) };
	}

	observe(outcome: Outcome): void {
		if (this.end !== undefined) return;
		if (outcome.kind === 'silence') return this.heardNothing(outcome);
		this.silentSince = undefined;
		this.answeredAt = this.clock.now();
		this.denials = outcome.kind === 'denial' ? this.denials + 1 : 0;
		if (outcome.kind !== 'denial' || this.denials < MOST_DENIALS) return;
		this.giveUp({ reason: 'denial', error: outcome.error, times: this.denials });
	}

	private heardNothing({
		error,
		startedAt,
		retryAfterMs = 0,
	}: Outcome & { kind: 'silence' }): void {
		this.lastError = error;
		this.silentSince ??= Math.max(startedAt, this.answeredAt);
		if (retryAfterMs > (this.silence?.leftMs ?? 0)) this.endSilence(retryAfterMs);
		else this.watch();
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
