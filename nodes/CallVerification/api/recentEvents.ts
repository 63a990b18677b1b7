import { createHash } from 'node:crypto';

export interface RecentEventsLimits {
	/** How long an event is remembered. */
	windowSeconds: number;
	maxPerScope: number;
	/** Over all scopes. */
	maxTotal: number;
}

const DEFAULT_LIMITS: RecentEventsLimits = {
	windowSeconds: 24 * 60 * 60,
	maxPerScope: 10_000,
	maxTotal: 100_000,
};

/**
 * Remembers which events were handled, in this process only and within fixed bounds: best effort,
 * since n8n offers web-hooks no storage that is exact across processes. Where memory runs out, the
 * oldest event is forgotten first: a duplicate handled twice is better than an event lost.
 */
export class RecentEvents {
	private readonly limits: RecentEventsLimits;

	/** Scopes with the longest unused first; in each, fingerprint -> time of claim, oldest first. */
	private readonly scopes = new Map<string, Map<string, number>>();

	private total = 0;

	constructor(limits: Partial<RecentEventsLimits> = {}) {
		this.limits = { ...DEFAULT_LIMITS, ...limits };
	}

	/** How many events are held at the moment. */
	get size(): number {
		return this.total;
	}

	/**
	 * True for the first to ask, false for everyone after within the window. Synchronous on purpose:
	 * two requests that arrive together cannot both be first.
	 */
	claim(scope: string, callId: string, nowSeconds: number): boolean {
		const events = this.use(scope);
		this.forgetExpired(events, nowSeconds);

		const event = fingerprint(callId);
		const claimedAt = events.get(event);
		if (claimedAt !== undefined && !this.isExpired(claimedAt, nowSeconds)) return false;

		this.forget(events, event);
		events.set(event, nowSeconds);
		this.total += 1;
		this.makeRoom(events);
		return true;
	}

	/** Takes a claim back when the event could not be handed on, so that the next try counts. */
	release(scope: string, callId: string): void {
		const events = this.scopes.get(scope);
		if (events === undefined) return;
		this.forget(events, fingerprint(callId));
		if (events.size === 0) this.scopes.delete(scope);
	}

	private use(scope: string): Map<string, number> {
		const events = this.scopes.get(scope) ?? new Map<string, number>();
		this.scopes.delete(scope);
		this.scopes.set(scope, events);
		return events;
	}

	private isExpired(claimedAt: number, nowSeconds: number): boolean {
		return nowSeconds - claimedAt >= this.limits.windowSeconds;
	}

	private forgetExpired(events: Map<string, number>, nowSeconds: number): void {
		for (const [event, claimedAt] of events) {
			if (!this.isExpired(claimedAt, nowSeconds)) return;
			this.forget(events, event);
		}
	}

	private makeRoom(events: Map<string, number>): void {
		if (events.size > this.limits.maxPerScope) this.forgetOldest(events);
		if (this.total <= this.limits.maxTotal) return;
		// The scope that was quiet for longest pays, not the one that is busy now.
		const quietest = this.scopes.entries().next().value;
		if (quietest === undefined) return;
		const [scope, itsEvents] = quietest;
		this.forgetOldest(itsEvents);
		if (itsEvents.size === 0) this.scopes.delete(scope);
	}

	private forgetOldest(events: Map<string, number>): void {
		const oldest = events.keys().next().value;
		if (oldest !== undefined) this.forget(events, oldest);
	}

	private forget(events: Map<string, number>, event: string): void {
		if (events.delete(event)) this.total -= 1;
	}
}

/*
 * The sender chooses the identifier's length, and a piece of a parsed body can keep the whole body
 * in memory. Hashed as UTF-16, so that texts that UTF-8 cannot tell apart stay different.
 */
function fingerprint(callId: string): string {
	return createHash('sha256').update(callId, 'utf16le').digest('base64url');
}
