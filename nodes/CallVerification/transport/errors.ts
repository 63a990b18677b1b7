import { knownError } from '../contract/errorCodes';
import type { AnnouncedLimit } from '../pacing/quota';
import type { GiveUpReason } from '../pacing/giveUp';

/** What is known about a request without a usable response. It decides whether it is safe to send it again. */
export type Failure =
	/** The request cannot have arrived (connection refused, host not found). */
	| 'unreachable'
	/** It cannot have arrived either, because the TLS handshake failed; may be an attack. */
	| 'insecure'
	/** It may have arrived (connection reset, timeout). */
	| 'unanswered'
	/** The service asks to slow down. */
	| 'rateLimited'
	/** The service reported an error of its own. */
	| 'unavailable'
	/** The response is not JSON, for instance because it was cut off. */
	| 'garbled'
	/** The response is complete, but not what the method returns; the service may have acted. */
	| 'unusable'
	/** The service, or whatever is at its address, refused the request. */
	| 'refused';

type Details = Pick<ServiceError, 'failure' | 'advice'> &
	Partial<Pick<ServiceError, 'code' | 'words' | 'retryAfter' | 'announced'>>;

/** The service refused, failed, or sent an unusable response. */
export class ServiceError extends Error {
	readonly failure: Failure;
	readonly advice: string;
	/** The `code` of the service's error object if it is known or looks like an HTTP status, or else the HTTP status. */
	readonly code: number | undefined;
	/** The service's own words. */
	readonly words: string | undefined;
	/** The raw `Retry-After` header. */
	readonly retryAfter: string | undefined;
	/** What the response says about the service's limit. */
	readonly announced: AnnouncedLimit | undefined;

	constructor(message: string, details: Details) {
		super(message);
		this.name = 'ServiceError';
		this.failure = details.failure;
		this.advice = details.advice;
		this.code = details.code;
		this.words = details.words;
		this.retryAfter = details.retryAfter;
		this.announced = details.announced;
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

/** Whether a request that was sent may have taken effect although there is no usable response. */
export function mayHaveActed(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return true;
	return ['unanswered', 'unavailable', 'garbled', 'unusable'].includes(error.failure);
}

/**
 * For an item that is not tried, or not retried, because the run gave up. `own` is what happened to this item;
 * `isDoubtful` is true if the service may still have acted on the request.
 */
export function givenUpError(
	reason: GiveUpReason,
	own: unknown,
	isDoubtful: boolean,
): ServiceError {
	const doubt = isDoubtful ? 'Before you repeat a call manually, check whether it was made.' : '';
	if (reason.kind === 'refusesAll') return refusedAllError(reason, doubt);
	const last = own instanceof ServiceError ? own : reason.error;
	const { code, failure }: Partial<ServiceError> = last instanceof ServiceError ? last : {};
	const advice = [
		`Last error: ${last instanceof Error ? last.message : 'none'}.`,
		whatToDo(failure, reason.retryAfterMs),
		'To wait longer, raise “Give Up After” in the request options.',
		doubt,
	];
	return new ServiceError(
		`No usable response from the verification service since ${timeOf(reason.since)}, so the run gave up`,
		{ failure: 'unavailable', advice: advice.filter(Boolean).join(' '), code },
	);
}

/** “The account is empty: 10 requests in a row were refused, so no more were sent”. */
function refusedAllError(
	{ error, times }: GiveUpReason & { kind: 'refusesAll' },
	doubt: string,
): ServiceError {
	const { code, advice = '' }: Partial<ServiceError> = error instanceof ServiceError ? error : {};
	const what = knownError(code)?.meaning ?? 'The service refused';
	return new ServiceError(
		`${what}: ${times} requests in a row were refused, so no more were sent`,
		{ failure: 'refused', advice: [advice, doubt].filter(Boolean).join(' '), code },
	);
}

function whatToDo(failure: Failure | undefined, retryAfterMs: number | undefined): string {
	if (retryAfterMs !== undefined) {
		const seconds = Math.ceil(retryAfterMs / 1_000).toLocaleString('en-US');
		return `The service asked to wait ${seconds} s. Run the failed items again after that.`;
	}
	return failure === 'rateLimited'
		? 'The service asked for fewer requests. Run the failed items again later, with “Requests per Second” set.'
		: 'Check whether the service is down, and run the failed items again when it is back up.';
}

/** “2030-01-01 00:05:00 UTC”, because the reader may be in another time zone than the server. */
function timeOf(wallTime: number): string {
	return `${new Date(wallTime).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
