import {
	type Failure,
	givenUpError,
	networkFailure,
	ServiceError,
} from '../../../../nodes/CallVerification/transport/errors';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/time';

const SINCE = Date.UTC(2030, 0, 1, 14, 3, 20);

const failed = (failure: Failure, code?: number) =>
	new ServiceError('It said no', { failure, advice: 'Do this.', code });

const noResponse = (error: unknown, retryAfterMs?: number) =>
	({ kind: 'noResponse', error, since: SINCE, retryAfterMs }) as const;

describe('the error of an item that was given up', () => {
	it('says since when, the last error, and what to do', () => {
		const error = givenUpError(noResponse(failed('unavailable', 503)), new StoppedError());
		expect(error.message).toBe(
			'No usable response from the verification service since 2030-01-01 14:03:20 UTC, so the run gave up',
		);
		expect(error.advice).toBe(
			'Last error: It said no. Check whether the service is down, and run the failed items again when it is back up. To wait longer, raise “Give Up After” in the request options.',
		);
		expect(error).toMatchObject({ failure: 'unavailable', code: 503 });
	});

	it.each([
		[
			undefined,
			'The service asked for fewer requests. Run the failed items again later, with “Requests per Second” set.',
		],
		[3_600_000, 'The service asked to wait 3,600 s. Run the failed items again after'],
	])('asks for patience where the service wants fewer requests (for %p ms)', (afterMs, advice) => {
		const reason = noResponse(failed('rateLimited', 429), afterMs);
		expect(givenUpError(reason, undefined).advice).toContain(advice);
	});
	it('says what happened to the item itself, if anything did', () => {
		const own = new ServiceError('Timed out', { failure: 'unanswered', advice: '' });
		const { advice, code } = givenUpError(noResponse(failed('rateLimited', 429)), own);
		expect(advice).toContain('Last error: Timed out. Check whether the service is down');
		expect(code).toBeUndefined();
	});

	it('says that there was no error if none of the requests has ended', () => {
		expect(givenUpError(noResponse(undefined), new StoppedError())).toMatchObject({
			advice: expect.stringContaining(
				'Last error: none. Check whether the service is down',
			) as string,
			failure: 'unavailable',
			code: undefined,
		});
	});

	it.each([
		[401, 'The service refused the key'],
		[1002, 'The account is empty'],
	])('says in its own words why everything was refused with code %i', (code, what) => {
		const reason = { kind: 'refusesAll', error: failed('refused', code), times: 10 } as const;
		for (const own of [new StoppedError(), failed('unavailable', 503)]) {
			expect(givenUpError(reason, own)).toMatchObject({
				message: `${what}: 10 requests in a row were refused, so no more were sent`,
				advice: 'Do this.',
				code,
				failure: 'refused',
			});
		}
	});
});

const thrown = (code: string) => Object.assign(new Error(`connect ${code} secret`), { code });

describe('a request without an answer', () => {
	const CODES = {
		unreachable: [
			'ECONNREFUSED',
			'ENOTFOUND',
			'EAI_AGAIN',
			'EHOSTUNREACH',
			'ENETUNREACH',
			'EADDRNOTAVAIL',
		],
		insecure: [
			'EPROTO',
			'CERT_HAS_EXPIRED',
			'ERR_TLS_CERT_ALTNAME_INVALID',
			'ERR_SSL_WRONG_VERSION_NUMBER',
			'DEPTH_ZERO_SELF_SIGNED_CERT',
			'SELF_SIGNED_CERT_IN_CHAIN',
			'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
			'CRL_HAS_EXPIRED',
			'ERROR_IN_CERT_NOT_BEFORE_FIELD',
			'HOSTNAME_MISMATCH',
			'INVALID_CA',
			'INVALID_PURPOSE',
			'PATH_LENGTH_EXCEEDED',
			'UNSPECIFIED',
		],
		unanswered: [
			'ECONNRESET',
			'EPIPE',
			'EPROTOTYPE',
			'ECONNABORTED',
			'ETIMEDOUT',
			'ERR_SOMETHING_NEW',
			'ERR_SOME_CERT_PROBLEM',
		],
	};

	it.each(Object.entries(CODES).flatMap(([kind, codes]) => codes.map((code) => [kind, code])))(
		'is %s after %s',
		(failure, code) => {
			expect(networkFailure(thrown(code ?? '')).failure).toBe(failure);
		},
	);
	it('may have arrived after an error without a code', () => {
		for (const error of [new Error('?'), 'text', undefined, null, 5]) {
			expect(networkFailure(error).failure).toBe('unanswered');
		}
	});

	it('is recognised through the errors that wrap it', () => {
		const wrapped = { httpCode: null, cause: { cause: thrown('ECONNREFUSED') } };
		expect(networkFailure(wrapped).failure).toBe('unreachable');
		expect(networkFailure({ httpCode: 'ENOTFOUND' }).failure).toBe('unreachable');
	});

	it('is not recognised by an invalid code', () => {
		for (const code of [['ECONNREFUSED'], 'ECONNREFUSED?', 'not ECONNREFUSED', 111]) {
			expect(networkFailure({ code, cause: thrown('ENOTFOUND') }).message).toContain(
				'its host name was not found',
			);
		}
	});

	it.each([
		[4, 'unreachable'],
		[5, 'unanswered'],
	])('is recognised behind %i errors: %s', (depth, failure) => {
		let error: unknown = thrown('ECONNREFUSED');
		for (let wrapped = 0; wrapped < depth; wrapped += 1) error = { cause: error };
		expect(networkFailure(error).failure).toBe(failure);
	});

	it.each([
		['ECONNREFUSED', 'cannot be reached: the connection was refused'],
		['ENOTFOUND', 'cannot be reached: its host name was not found'],
		['EAI_AGAIN', 'cannot be reached: its host name was not found'],
		['EHOSTUNREACH', 'cannot be reached'],
		['ENETUNREACH', 'cannot be reached'],
		['EADDRNOTAVAIL', 'cannot be reached'],
	])('says why after %s', (code, words) => {
		const { message, advice } = networkFailure(thrown(code));
		expect(message).toBe(`The verification service ${words}`);
		expect(advice).toBe(
			'Check the base URL in the credential, and whether n8n can reach the service. If its address is blocked where n8n runs, set “Alternate Base URL” and “Address”.',
		);
	});

	it('says that no secure connection was made', () => {
		expect(networkFailure(thrown('CERT_HAS_EXPIRED')).message).toBe(
			'Could not establish a secure connection to the verification service',
		);
	});

	it.each([
		// As Node 20, 22 and 24 word it, inside the error of n8n's request helper.
		[
			'EPROTO',
			'write EPROTO 80DC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:ssl3_record.c:350:',
		],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'error:0A00010B:SSL routines::wrong version number'],
	])('says that a server without TLS speaks plain HTTP: %s', (code, message) => {
		const cause = Object.assign(new Error(message), { code });
		expect(networkFailure({ message: 'Bad request', cause: { cause } })).toMatchObject({
			message: 'The server uses plain HTTP, but its address in the credential starts with https://',
			advice: expect.stringContaining('The key was not sent. Check the port of the base URL'),
			failure: 'insecure',
		});
	});

	it.each([
		['EPROTO', 'write EPROTO error:0A000410:SSL routines::sslv3 alert handshake failure'],
		['ECONNRESET', 'wrong version number'],
	])('does not say so after another failure: %s', (code, message) => {
		const { message: said } = networkFailure(Object.assign(new Error(message), { code }));
		expect(said).not.toContain('plain HTTP');
	});

	it.each(['SsrfBlockedIpError', 'SsrfBlockedHostnameError'])(
		'that n8n itself forbids names the settings that allow it, for the whole run: %s',
		(name) => {
			const error = networkFailure({ cause: Object.assign(new Error('blocked'), { name }) });
			expect(error).toMatchObject({
				message: 'n8n does not allow requests to the address of the service',
				advice: expect.stringMatching(
					/base URL.*N8N_SSRF_ALLOWED_HOSTNAMES.*N8N_SSRF_ALLOWED_IP_RANGES/,
				) as string,
				failure: 'blocked',
			});
			const reason = { kind: 'refusesAll', error, times: 1 } as const;
			expect(givenUpError(reason, new StoppedError())).toBe(error);
		},
	);

	it.each(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'])('took too long: %s', (code) => {
		expect(networkFailure(thrown(code))).toMatchObject({
			name: 'ServiceError',
			message: 'The request to the verification service timed out',
			advice: 'Try again later, or raise “Timeout” in the request options.',
			failure: 'unanswered',
		});
	});

	it('never repeats what was thrown, because that contains the key', () => {
		const failure = networkFailure(thrown('ECONNRESET'));
		expect(`${failure.message}${failure.advice}${String(failure.cause)}`).not.toContain('secret');
	});
});
