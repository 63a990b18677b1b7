import { knownError } from '../contract/errorCodes';
import { isRecord } from '../contract/fields';
import type { AnnouncedLimit } from '../pacing/quota';
import type { GiveUpReason } from '../pacing/retry';

/** What is known about a request without a usable response. It decides whether it is safe to send it again. */
export type Failure =
	| 'unreachable' // It cannot have arrived: connection refused, host not found.
	| 'blocked' // It was not sent: n8n's protection against requests to the internal network forbids the address.
	| 'insecure' // It cannot have arrived either, because the TLS handshake failed; may be an attack.
	| 'unanswered' // It may have arrived: connection reset, timeout.
	| 'rateLimited' // The service asks to slow down, with HTTP status 429 or a code of its own.
	| 'unavailable' // The service reported an error of its own.
	| 'garbled' // The response is not JSON, for instance because it was cut off.
	| 'unusable' // The response is complete, but not what the method returns; the service may have acted.
	| 'refused'; // By the service, or by whatever is at its address.

/** The service refused, failed, or sent an unusable response. */
export class ServiceError extends Error {
	declare readonly failure: Failure;
	declare readonly advice: string;
	/** The `code` of the service's error object if it is known or looks like an HTTP status, or else the HTTP status. */
	declare readonly code?: number;
	declare readonly words?: string;
	/** The raw `Retry-After` header. */
	declare readonly retryAfter?: string;
	declare readonly announced?: AnnouncedLimit;

	constructor(message: string, details: ErrorDetails) {
		super(message);
		Object.assign(this, { name: 'ServiceError' }, details);
	}
}

export type ErrorDetails = Omit<ServiceError, keyof Error>;

/** Whether sending the request again would lead to the same response. */
export const isFinal = (error: unknown) =>
	error instanceof ServiceError && ['blocked', 'refused', 'unusable'].includes(error.failure);

/** Whether n8n itself forbids the address, so that no request to it will ever be sent. */
export const isBlocked = (error: unknown) =>
	error instanceof ServiceError && error.failure === 'blocked';

/** Whether every other request would be refused as well, for example because the account is empty. */
export const concernsEverything = (error: unknown) =>
	error instanceof ServiceError &&
	(isBlocked(error) || knownError(error.code)?.concerns === 'everything');

/** Whether a request that was sent may have taken effect although there is no usable response. */
export const mayHaveActed = (error: unknown) =>
	!(error instanceof ServiceError) ||
	['unanswered', 'unavailable', 'garbled', 'unusable'].includes(error.failure);

/** For a call that the service may have made, whatever the last attempt ended with. */
export function inDoubt(error: unknown): unknown {
	if (!(error instanceof ServiceError)) return error;
	const advice = `Before you repeat a call manually, check whether it was made. ${error.advice}`;
	return new ServiceError(error.message, { ...error, advice });
}

/** For an item that is not tried, or not retried, because the run gave up. `own` is what happened to this item. */
export function givenUpError(reason: GiveUpReason, own: unknown): ServiceError {
	const isOwn = reason.kind === 'noResponse' && own instanceof ServiceError;
	const last = isOwn ? own : reason.error;
	const known = last instanceof ServiceError ? last : undefined;
	if (known?.failure === 'blocked') return known;
	const code = known?.code;
	if (reason.kind === 'refusesAll') {
		const what = knownError(code)?.meaning ?? 'The service refused';
		return new ServiceError(
			`${what}: ${reason.times} requests in a row were refused, so no more were sent`,
			{ failure: 'refused', advice: known?.advice ?? '', code },
		);
	}
	const advice = [
		`Last error: ${last instanceof Error ? last.message : 'none'}.`,
		whatToDo(known?.failure, reason.retryAfterMs),
		'To wait longer, raise “Give Up After” in the request options.',
	].join(' ');
	return new ServiceError(
		`No usable response from the verification service since ${inUtc(reason.since)}, so the run gave up`,
		{ failure: 'unavailable', advice, code },
	);
}

/** “2030-01-01 00:05:00 UTC”, because the reader may be in another time zone than the server. */
function inUtc(wallTime: number): string {
	const [date, time] = new Date(wallTime).toISOString().split(/[T.]/);
	return `${date} ${time} UTC`;
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
const NEVER_CONNECTED: ReadonlyMap<string, string> = new Map([
	['ECONNREFUSED', ': the connection was refused'],
	['ENOTFOUND', ': its host name was not found'],
	['EAI_AGAIN', ': its host name was not found'],
	['EHOSTUNREACH', ''],
	['ENETUNREACH', ''],
	['EADDRNOTAVAIL', ''],
]);

/** A TLS handshake fails before the request is sent. Does not include a connection that is reset during it. */
const TLS_CODE =
	/^(?:EPROTO|UNSPECIFIED|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|(?:ERR_TLS|ERR_SSL|CERT|CRL|ERROR_IN|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_.*)$/;

const ADDRESS_ADVICE =
	'Check the base URL in the credential, and whether n8n can reach the service. If its address is blocked where n8n runs, set “Alternate Base URL” and “Address”.';

const BLOCKED_ADVICE =
	'Check the base URL in the credential. If it is correct, n8n’s protection against requests to internal networks (SSRF) blocks it: add its host name to the environment variable N8N_SSRF_ALLOWED_HOSTNAMES, or its IP range to N8N_SSRF_ALLOWED_IP_RANGES, and restart n8n.';

/**
 * Reads only the code of the error from n8n's request helper, and whether the server uses TLS. The error itself
 * contains the whole request, including the secret key, and must not be stored or rethrown.
 */
export function networkFailure(thrown: unknown): ServiceError {
	const causes = causesOf(thrown);
	const code = codeIn(causes);
	if (causes.some(({ name }) => typeof name === 'string' && name.startsWith('Ssrf'))) {
		return new ServiceError('n8n does not allow requests to the address of the service', {
			failure: 'blocked',
			advice: BLOCKED_ADVICE,
		});
	}
	if (['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'].includes(code)) return timedOut();
	if (TLS_CODE.test(code)) return insecure(causes);
	const reason = NEVER_CONNECTED.get(code);
	if (reason === undefined) {
		return new ServiceError('The connection to the verification service was lost', {
			failure: 'unanswered',
			advice: ADDRESS_ADVICE,
		});
	}
	return new ServiceError(`The verification service cannot be reached${reason}`, {
		failure: 'unreachable',
		advice: ADDRESS_ADVICE,
	});
}

export const timedOut = () =>
	new ServiceError('The request to the verification service timed out', {
		failure: 'unanswered',
		advice: 'Try again later, or raise “Timeout” in the request options.',
	});

/** Also for a server without TLS: an attacker who cannot fake a certificate may try without one. */
function insecure(causes: Cause[]): ServiceError {
	const isPlain = causes.some(
		({ message }) => typeof message === 'string' && /wrong version number/i.test(message),
	);
	if (isPlain) {
		return new ServiceError(
			'The server uses plain HTTP, but its address in the credential starts with https://',
			{
				failure: 'insecure',
				advice:
					'The key was not sent. Check the port of the base URL in the credential. Enter http:// only for an address in your own network.',
			},
		);
	}
	return new ServiceError('Could not establish a secure connection to the verification service', {
		failure: 'insecure',
		advice:
			'The key was not sent. Check the certificate of the base URL in the credential: an invalid one may mean that someone is listening in.',
	});
}

type Cause = Record<string, unknown>;

/** One may be the cause of itself. */
const MOST_CAUSES = 5;

/** The error, its cause, the cause of that, and so on. */
function causesOf(error: unknown): Cause[] {
	const causes: Cause[] = [];
	let cause = error;
	while (isRecord(cause) && causes.length < MOST_CAUSES) {
		causes.push(cause);
		cause = cause.cause;
	}
	return causes;
}

function codeIn(causes: Cause[]): string {
	const codes = causes.flatMap(({ code, httpCode }) => [code, httpCode]);
	const isCode = (code: unknown) => typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code);
	return String(codes.find(isCode) ?? '');
}
