import { knownError } from '../contract/errorCodes';
import { isRecord } from '../contract/fields';
import type { AnnouncedLimit } from '../pacing/quota';
import type { GiveUpReason } from '../pacing/retry';

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
	// “2030-01-01 00:05:00 UTC”, because the reader may be in another time zone than the server.
	const since = `${new Date(reason.since).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
	return new ServiceError(
		`No usable response from the verification service since ${since}, so the run gave up`,
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

/**
 * Codes for connections that were never made, so the request cannot have arrived. With the reason in words, because n8n
 * replaces a message that contains one of these codes.
 */
const NEVER_CONNECTED = new Map([
	['ECONNREFUSED', ': the connection was refused'],
	['ENOTFOUND', ': its host name was not found'],
	['EAI_AGAIN', ': its host name was not found'],
	['EHOSTUNREACH', ''],
	['ENETUNREACH', ''],
	['EADDRNOTAVAIL', ''],
]);

const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

/** A TLS handshake fails before the request is sent. Does not include a connection that is reset during it. */
const TLS_CODE =
	/^(?:EPROTO|UNSPECIFIED|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|(?:ERR_TLS|ERR_SSL|CERT|CRL|ERROR_IN|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_.*)$/;

/** OpenSSL's message if the server does not use TLS. */
const NO_TLS = /wrong version number/i;

const ADDRESS_ADVICE =
	'Check “Base URL” in the credential, and whether n8n can reach the service. If its address is blocked where n8n runs, set “Alternate Base URL” and “Address”.';

/**
 * Reads only the code of the error from n8n's request helper, and whether the server uses TLS. The error itself
 * contains the whole request, including the secret key, and must not be stored or rethrown.
 */
export function networkFailure(thrown: unknown): ServiceError {
	const causes = causesOf(thrown);
	const code = codeIn(causes);
	// n8n's protection against requests to the internal network.
	if (causes.some(({ name }) => typeof name === 'string' && name.startsWith('Ssrf'))) {
		return new ServiceError('n8n does not allow requests to the address of the service', {
			failure: 'unreachable',
			advice: 'Check “Base URL” in the credential, or ask your n8n administrator to allow it.',
		});
	}
	if (code === 'ERR_CANCELED') {
		// Not a network failure, and never retried.
		return new ServiceError('The execution was stopped while the request was in flight', {
			failure: 'refused',
			advice: 'Check whether the call was made before you start it again.',
		});
	}
	if (TIMED_OUT.has(code)) return timedOut();
	const reason = NEVER_CONNECTED.get(code);
	if (reason !== undefined) {
		return new ServiceError(`The verification service cannot be reached${reason}`, {
			failure: 'unreachable',
			advice: ADDRESS_ADVICE,
		});
	}
	if (TLS_CODE.test(code)) return insecure(causes);
	return new ServiceError('The connection to the verification service was lost', {
		failure: 'unanswered',
		advice: ADDRESS_ADVICE,
	});
}

export function timedOut(): ServiceError {
	return new ServiceError('The request to the verification service timed out', {
		failure: 'unanswered',
		advice:
			'Try again later, or raise “Timeout” in the request options. Before you repeat a call manually, check whether it was made.',
	});
}

/** Also for a server without TLS: an attacker who cannot fake a certificate may try without one. */
function insecure(causes: Cause[]): ServiceError {
	if (causes.some(({ message }) => typeof message === 'string' && NO_TLS.test(message))) {
		return new ServiceError(
			'The server uses plain HTTP, but its address in the credential starts with https://',
			{
				failure: 'insecure',
				advice:
					'The key was not sent. Check the port of “Base URL” in the credential (or of “Alternate Base URL”, if that is in use). Enter http:// only for an address in your own network.',
			},
		);
	}
	return new ServiceError('Could not establish a secure connection to the verification service', {
		failure: 'insecure',
		advice:
			'The key was not sent. Check the certificate of “Base URL”: an invalid one may mean that someone is listening in, so the unencrypted “Alternate Base URL” is not used instead.',
	});
}

type Cause = Record<string, unknown>;

/** The error itself comes first. */
function causesOf(thrown: unknown): Cause[] {
	const causes: Cause[] = [];
	for (let error = thrown; isRecord(error) && causes.length < 5; error = error.cause) {
		causes.push(error);
	}
	return causes;
}

function codeIn(causes: Cause[]): string {
	const codes = causes.flatMap(({ code, httpCode }) => [code, httpCode]);
	const isCode = (code: unknown) => typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code);
	return String(codes.find(isCode) ?? '');
}
