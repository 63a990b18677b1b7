import { isRecord } from '../contract/fields';
import { ServiceError } from './errors';

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
	if (NEVER_CONNECTED.has(code)) {
		return new ServiceError(`The verification service cannot be reached${reason(code)}`, {
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

// In words, because n8n replaces a message that contains one of these codes.
function reason(code: string): string {
	if (code === 'ECONNREFUSED') return ': the connection was refused';
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return ': its host name was not found';
	return '';
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
