/** A value the user can mend. Thrown before anything is sent, so it never costs anything. */
export class InputError extends Error {
	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
		this.name = 'InputError';
	}

	/** Under this name n8n looks for advice when its own HTTP Request node meets the error. */
	get description(): string {
		return this.advice;
	}
}

/**
 * What is known about a request that brought no usable answer. It decides whether sending it again
 * can do harm:
 *
 * - `unreachable`: the request cannot have arrived (connection refused, name not found)
 * - `insecure`: nor can it have after a failed TLS handshake, which may be an attack
 * - `unanswered`: it may have arrived (connection reset, time limit over)
 * - `throttled`: the service asks to slow down
 * - `unavailable`: the service failed by its own account
 * - `garbled`: an answer came that is not JSON, as half an answer does
 * - `refused`: the service, or what stands at its address, said no
 */
export type Failure =
	| 'unreachable'
	| 'insecure'
	| 'unanswered'
	| 'throttled'
	| 'unavailable'
	| 'garbled'
	| 'refused';

interface ServiceErrorDetails {
	failure: Failure;
	advice: string;
	/** HTTP status, or the `code` of the service's error object where that looks like one. */
	status?: number;
	/** The raw `Retry-After` header. */
	retryAfter?: string;
}

/** The service refused, failed, or gave an answer that is none. */
export class ServiceError extends Error {
	readonly failure: Failure;

	readonly advice: string;

	readonly status: number | undefined;

	readonly retryAfter: string | undefined;

	constructor(message: string, { failure, advice, status, retryAfter }: ServiceErrorDetails) {
		super(message);
		this.name = 'ServiceError';
		this.failure = failure;
		this.advice = advice;
		this.status = status;
		this.retryAfter = retryAfter;
	}
}
