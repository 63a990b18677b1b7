import { knownError } from '../contract/errorCodes';

/**
 * What is known about a request without a usable response. It decides whether it is safe to send it again:
 *
 * - `unreachable`: the request cannot have arrived (connection refused, host not found)
 * - `insecure`: it cannot have arrived either, because the TLS handshake failed; may be an attack
 * - `unanswered`: it may have arrived (connection reset, timeout)
 * - `rateLimited`: the service asks to slow down
 * - `unavailable`: the service reported an error of its own
 * - `garbled`: the response is not JSON, for instance because it was cut off
 * - `unusable`: the response is complete, but not what the method returns; the service may have acted
 * - `refused`: the service, or whatever is at its address, refused the request
 */
export type Failure =
	| 'unreachable'
	| 'insecure'
	| 'unanswered'
	| 'rateLimited'
	| 'unavailable'
	| 'garbled'
	| 'unusable'
	| 'refused';

interface ServiceErrorDetails {
	failure: Failure;
	advice: string;
	/** The `code` of the service's error object if it is known or looks like an HTTP status, or else the HTTP status. */
	code?: number;
	/** The service's own words. */
	words?: string;
	/** The raw `Retry-After` header. */
	retryAfter?: string;
}

/** The service refused, failed, or sent an unusable response. */
export class ServiceError extends Error {
	readonly failure: Failure;

	readonly advice: string;

	readonly code: number | undefined;

	readonly words: string | undefined;

	readonly retryAfter: string | undefined;

	constructor(message: string, { failure, advice, code, words, retryAfter }: ServiceErrorDetails) {
		super(message);
		this.name = 'ServiceError';
		this.failure = failure;
		this.advice = advice;
		this.code = code;
		this.words = words;
		this.retryAfter = retryAfter;
	}
}

/** Whether sending the request again would lead to the same response. */
export function isFinal({ failure }: ServiceError): boolean {
	return failure === 'refused' || failure === 'unusable';
}

/** Whether every other request would be refused as well, for example because the account is empty. */
export function concernsEverything(error: unknown): boolean {
	return error instanceof ServiceError && knownError(error.code)?.concerns === 'everything';
}
