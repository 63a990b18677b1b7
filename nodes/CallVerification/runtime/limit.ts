/** What an answer says about the load that the service can take. */
export type Pushback =
	| { kind: 'ok' }
	/** The service refused because of too many requests (429). */
	| { kind: 'throttled'; retryAfterMs?: number }
	/** The service failed in a way that load can cause (5xx, timeout). */
	| { kind: 'overloaded' };

/** Says when a request may start. Every request passes one, a retry like a first try. */
export interface Limit {
	/**
	 * Waits for the request's turn, which comes before that of all who are not urgent; throws a StoppedError when the
	 * run is stopped first. After a refusal everybody waits here, so nobody has to wait on their own.
	 */
	enter(stop?: AbortSignal, isUrgent?: boolean): Promise<Slot>;
}

/** The right to have one request in flight. */
export interface Slot {
	/** Gives the right back, once, with what the answer was. */
	leave(pushback: Pushback): void;
}
