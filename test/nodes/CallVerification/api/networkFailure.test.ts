import { networkFailure, timedOut } from '../../../../nodes/CallVerification/api/networkFailure';

const thrown = (code: string) => Object.assign(new Error(`connect ${code} secret`), { code });

describe('a request without an answer', () => {
	it.each([
		'ECONNREFUSED',
		'ENOTFOUND',
		'EAI_AGAIN',
		'EHOSTUNREACH',
		'ENETUNREACH',
		'EPROTO',
		'CERT_HAS_EXPIRED',
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
	])('cannot have arrived after %s', (code) => {
		expect(networkFailure(thrown(code)).failure).toBe('unreachable');
	});

	it.each(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_SOMETHING_NEW'])(
		'may have arrived after %s',
		(code) => {
			expect(networkFailure(thrown(code)).failure).toBe('unanswered');
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

	it('that was stopped by the user is not tried again', () => {
		expect(networkFailure(thrown('ERR_CANCELED')).failure).toBe('refused');
	});

	it('that n8n itself forbids says so', () => {
		const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
		expect(networkFailure({ cause: blocked }).message).toContain('does not allow requests');
	});

	it('that took too long is told apart', () => {
		expect(networkFailure(thrown('ECONNABORTED')).message).toBe(timedOut().message);
	});

	it('never repeats what was thrown, because that holds the key', () => {
		const failure = networkFailure(thrown('ECONNRESET'));
		expect(`${failure.message}${failure.advice}${String(failure.cause)}`).not.toContain('secret');
	});

	it('does not loop on an error that causes itself', () => {
		const error: { cause?: unknown } = {};
		error.cause = error;
		expect(networkFailure(error).failure).toBe('unanswered');
	});
});
