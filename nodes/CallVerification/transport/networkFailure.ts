import type { Failure } from './errors';
import { ServiceError } from './errors';
import { isRecord } from '../contract/fields';

/** Codes for connections that were never made, so the request cannot have arrived. */
const NEVER_CONNECTED = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EADDRNOTAVAIL',
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
	if (isBlockedByN8n(thrown)) return blocked();
	const code = networkCode(thrown);
	if (code === 'ERR_CANCELED') return stopped();
	if (TIMED_OUT.has(code)) return timedOut();
	if (NEVER_CONNECTED.has(code)) {
		return failure('unreachable', `The verification service cannot be reached${reason(code)}`);
	}
	if (TLS_CODE.test(code)) return meetsNoTls(thrown) ? unencrypted() : insecure();
	return failure('unanswered', 'The connection to the verification service was lost');
}

export function timedOut(): ServiceError {
	return new ServiceError('The request to the verification service timed out', {
		failure: 'unanswered',
		advice:
			'Try again later, or raise “Timeout” in the request options. Before you repeat a call manually, check whether it was made.',
	});
}

function insecure(): ServiceError {
	return new ServiceError('Could not establish a secure connection to the verification service', {
		failure: 'insecure',
		advice:
			'The key was not sent. Check the certificate of “Base URL”: an invalid one may mean that someone is listening in, so the unencrypted “Alternate Base URL” is not used instead.',
	});
}

/** Also insecure: an attacker who cannot fake a certificate may try without one. */
function unencrypted(): ServiceError {
	return new ServiceError(
		'The server uses plain HTTP, but its address in the credential starts with https://',
		{
			failure: 'insecure',
			advice:
				'The key was not sent. Check the port of “Base URL” in the credential (or of “Alternate Base URL”, if that is in use). Enter http:// only for an address in your own network.',
		},
	);
}

/** n8n's protection against requests to the internal network. */
function blocked(): ServiceError {
	return new ServiceError('n8n does not allow requests to the address of the service', {
		failure: 'unreachable',
		advice: 'Check “Base URL” in the credential, or ask your n8n administrator to allow it.',
	});
}

/** Not a network failure, and never retried. */
function stopped(): ServiceError {
	return new ServiceError('The execution was stopped while the request was in flight', {
		failure: 'refused',
		advice: 'Check whether the call was made before you start it again.',
	});
}

function failure(kind: Failure, message: string): ServiceError {
	return new ServiceError(message, { failure: kind, advice: ADDRESS_ADVICE });
}

// In words, because n8n replaces a message that contains one of these codes.
function reason(code: string): string {
	if (code === 'ECONNREFUSED') return ': the connection was refused';
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return ': its host name was not found';
	return '';
}

function networkCode(thrown: unknown): string {
	return (
		chainOf(thrown)
			.flatMap(({ code, httpCode }) => [code, httpCode])
			.find((code): code is string => typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) ??
		''
	);
}

function meetsNoTls(thrown: unknown): boolean {
	return chainOf(thrown).some(({ message }) => typeof message === 'string' && NO_TLS.test(message));
}

function isBlockedByN8n(thrown: unknown): boolean {
	return chainOf(thrown).some(({ name }) => typeof name === 'string' && name.startsWith('Ssrf'));
}

/** The error and its causes. */
function chainOf(thrown: unknown): Array<Record<string, unknown>> {
	const chain: Array<Record<string, unknown>> = [];
	for (let error = thrown; isRecord(error) && chain.length < 5; error = error.cause) {
		chain.push(error);
	}
	return chain;
}
