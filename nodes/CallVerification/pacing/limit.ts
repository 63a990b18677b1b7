import type { AnnouncedLimit } from './quota';

/** What a response says about the load on the service. */
export type Pushback = (
	| { kind: 'ok' }
	/** The service refused because of too many requests (429). */
	| { kind: 'rateLimited'; retryAfterMs?: number }
	/** The service failed in a way that load can cause (5xx, timeout). */
	| { kind: 'overloaded' }
) & {
	announced?: AnnouncedLimit;
};

/** Decides when a request may start. Applies to every request, including retries. */
export interface Limit {
	/**
	 * Waits for the request's turn; urgent requests go first. Throws a StoppedError if the run is stopped first. After
	 * a refusal all requests wait here, so none has to wait on its own.
	 */
	enter(stop?: AbortSignal, isUrgent?: boolean): Promise<Slot>;
}

/** The right to have one request in flight. */
export interface Slot {
	/** Returns the slot, once, with the outcome. */
	leave(pushback: Pushback): void;
}
