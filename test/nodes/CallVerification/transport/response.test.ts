import fc from 'fast-check';

import { readResponse } from '../../../../nodes/CallVerification/transport/response';
import { ERROR_CODES } from '../../../../nodes/CallVerification/contract/errorCodes';
import { identifier, objectOf, recordOf } from '../../../../nodes/CallVerification/contract/fields';
import { methods, type ServiceMethod } from '../../../../nodes/CallVerification/contract/methods';
import {
	concernsEverything,
	ServiceError,
} from '../../../../nodes/CallVerification/transport/errors';

import { thrownBy } from '../thrown';

const asIs = (text: string) => text;

const readAs = (
	method: ServiceMethod,
	body: unknown,
	statusCode = 200,
	headers = {},
	hide = asIs,
) => readResponse(method, { statusCode, headers, body }, hide);

const failureOf = (statusCode: number, body: unknown, headers = {}, hide = asIs): ServiceError => {
	const error = thrownBy(() => readAs(methods.getBalance, body, statusCode, headers, hide));
	if (error instanceof ServiceError) return error;
	throw new Error('failed in another way', { cause: error });
};
describe('any answer at all', () => {
	it.each<[string, number, unknown]>([
		['a page', 200, 'x'.repeat(10_000_000)],
		['an error page', 502, 'x'.repeat(10_000_000)],
		['a refusal', 200, { status: false, error: 'x'.repeat(10_000_000) }],
	])('of 10 MB is redacted only where it may be shown: %s', (_what, status, body) => {
		const redacted: number[] = [];
		failureOf(status, body, {}, (text) => {
			redacted.push(text.length);
			return text;
		});
		expect(Math.max(...redacted)).toBeLessThan(100_000);
	});

	it.each(Object.values(methods))('to $name is a record or a clear error', (method) => {
		const body = fc.oneof(
			fc.jsonValue(),
			fc.record(
				{
					status: fc.oneof(fc.boolean(), fc.jsonValue()),
					vendor_id: fc.oneof(fc.integer(), fc.jsonValue()),
					id: fc.jsonValue(),
					service_status: fc.jsonValue(),
					rub_balance: fc.jsonValue(),
					source: fc.jsonValue(),
					phone: fc.jsonValue(),
					phone_info: fc.jsonValue(),
					logs: fc.jsonValue(),
					error: fc.jsonValue(),
					code: fc.jsonValue(),
					__proto__: fc.jsonValue(),
				},
				{ requiredKeys: [] },
			),
		);
		fc.assert(
			fc.property(fc.integer({ min: 100, max: 599 }), body, (statusCode, value) => {
				try {
					const record = readAs(method, value, statusCode);
					return typeof record === 'object' && record !== null && !Array.isArray(record);
				} catch (error) {
					return error instanceof ServiceError && error.message !== '' && error.advice !== '';
				}
			}),
			{ numRuns: 500 },
		);
	});
});

describe('an error object', () => {
	it.each([[{ toString: null }], [[{ toString: null }]]])(
		'is a clear error, even if its code is %j',
		(code) => {
			expect(failureOf(200, { status: false, error: 'No', code }).message).toContain('No');
		},
	);
});

describe('what a failure means for a retry', () => {
	it.each([
		[429, 'rateLimited'],
		[408, 'unavailable'],
		[500, 'unavailable'],
		[503, 'unavailable'],
		[400, 'refused'],
		[401, 'refused'],
		[404, 'refused'],
	])('HTTP status %i and the code %i alike are “%s” (§7.3, §8.rate)', (status, failure) => {
		expect(failureOf(status, 'text').failure).toBe(failure);
		expect(failureOf(status, { status: false, error: 'x' }).failure).toBe(failure);
		expect(failureOf(200, { status: false, error: 'x', code: status }).failure).toBe(failure);
	});

	it('half an answer is “garbled”, another kind of answer is not', () => {
		expect(failureOf(200, '{"status":tr').failure).toBe('garbled');
		expect(failureOf(200, '').failure).toBe('garbled');
		expect(failureOf(200, []).failure).toBe('unusable');
		expect(failureOf(200, { status: true }).failure).toBe('unusable');
	});

	it('the header Retry-After is kept', () => {
		const headers = { 'retry-after': '7' };
		expect(failureOf(429, 'x', headers).retryAfter).toBe('7');
		expect(failureOf(200, { status: false, code: 429 }, headers).retryAfter).toBe('7');
		expect(failureOf(429, 'x').retryAfter).toBeUndefined();
		expect(failureOf(200, { status: false }, headers).retryAfter).toBeUndefined();
		expect(failureOf(429, 'x', { 'retry-after': ['7', '8'] }).retryAfter).toBeUndefined();
	});

	it('the code takes precedence over the HTTP status, if it is known or looks like one', () => {
		expect(failureOf(503, { status: false, error: 'x', code: 401 }).failure).toBe('refused');
		expect(failureOf(400, { status: false, error: 'x', code: 429 }).failure).toBe('rateLimited');
		expect(failureOf(503, { status: false, error: 'x', code: 1002 }).failure).toBe('refused');
		expect(failureOf(503, { status: false, error: 'x', code: 7 }).code).toBe(503);
		expect(failureOf(200, { status: false, error: 'x', code: '0503' }).code).toBeUndefined();
	});
});

describe('the mark of a refusal', () => {
	it.each([false, 'false', 0])('is the status %j', (status) => {
		expect(failureOf(200, { status, error: 'No', rub_balance: 5 }).message).toContain('No');
	});

	it.each([true, 1, 'true', undefined, null])('is not the status %j', (status) => {
		const record = readAs(methods.getBalance, { status, rub_balance: 5 });
		expect(record).toHaveProperty('rub_balance', 5);
	});
});

describe('the words of a failure', () => {
	const CREDENTIAL =
		'Check “Secret Key”, “Service ID” and “Authentication Scheme” in the credential. You can find the key and the ID under My services in your account.';
	const BALANCE = 'Check your balance with the service.';
	const ADDRESS =
		'Check the base URL in the credential, and the call ID if the operation takes one.';
	const SLOWER =
		'The service is receiving too many requests. Send fewer at a time, or try again later.';
	const LATER = 'The service itself has a problem. Try again later.';
	const VALUES = 'Check the values of this item. If they are correct, try again later.';
	const NOT_THE_SERVICE =
		'Check the base URL in the credential: it must point to the service itself, not to a website or a proxy. ';

	it.each([
		[400, VALUES],
		[401, CREDENTIAL],
		[402, BALANCE],
		[403, 'Check the number, and what your service allows in your account.'],
		[404, ADDRESS],
		[405, ADDRESS],
		[408, LATER],
		[409, VALUES],
		[429, SLOWER],
		[499, VALUES],
		[500, LATER],
		[599, LATER],
	])('say what to do about %i, wherever it comes from', (status, advice) => {
		const body = { status: false, error: 'No', code: status };
		expect(failureOf(200, body)).toMatchObject({
			message: `The verification service refused the request: No (code ${status})`,
			advice,
			code: status,
		});
		expect(failureOf(status, { error: 'No' })).toMatchObject({
			message: 'The verification service refused the request: No',
			advice,
			code: status,
		});
		expect(failureOf(status, '<p>No</p>')).toMatchObject({
			message: `The verification service responded with HTTP status ${status}`,
			advice: `${advice} The response began with: <p>No</p>`,
			code: status,
		});
	});

	it.each([399, 600, '401.5', 'E_AUTH', null, undefined])(
		'say nothing special about the code %j, which is not an HTTP status',
		(code) => {
			expect(failureOf(200, { status: false, error: 'No', code })).toMatchObject({
				failure: 'refused',
				advice: VALUES,
				code: undefined,
			});
		},
	);

	it.each([
		[200, { status: false }, 'no reason given'],
		[200, { status: false, error: '  ' }, 'no reason given'],
		[200, { status: false, error: true }, 'no reason given'],
		[503, {}, 'HTTP status 503'],
		[400, { error: '' }, 'HTTP status 400'],
		[200, { status: false, error: null, message: 'M' }, 'M'],
		[200, { status: false, error: null, message: null }, 'no reason given'],
		[401, {}, 'The service refused the key'],
		[200, { status: false, error: ['a', 'b'] }, '["a","b"]'],
		[200, { status: false, error: { why: 'x' } }, '{"why":"x"}'],
	])('are found or made up for HTTP status %i with %j', (status, body, words) => {
		expect(failureOf(status, body).message).toBe(
			`The verification service refused the request: ${words}`,
		);
	});

	it.each([
		['<html>', 'The response began with: <html>'],
		['', 'The response was empty.'],
		[null, 'The response was empty.'],
		[undefined, 'The response was empty.'],
		[[1, 2], 'The response was a list: [1,2]'],
		[7, 'The response began with: 7'],
	])('show what arrived instead of an answer: %j', (body, came) => {
		expect(failureOf(200, body)).toMatchObject({
			message: 'Unexpected response from the verification service',
			advice: NOT_THE_SERVICE + came,
		});
	});

	it.each([
		['https://other.test/path?key=k', ' to https://other.test'],
		['/elsewhere', ''],
		[undefined, ''],
	])('name the host that a redirect to %s leads to, and no more', (location, where) => {
		for (const status of [300, 302, 399]) {
			expect(failureOf(status, { rub_balance: 5 }, { location })).toMatchObject({
				message: `The address of the verification service redirects${where}`,
				advice:
					'The key is never sent to another address. If the new address is correct, enter it as the base URL in the credential.',
				failure: 'refused',
				code: status,
			});
		}
	});

	it('name the missing field, unless the service has its own words', () => {
		expect(failureOf(200, { tariff: 'x' })).toMatchObject({
			message: 'Incomplete response from the verification service: “rub_balance” is missing',
			advice: 'Check the base URL in the credential. The response began with: {"tariff":"x"}',
			failure: 'unusable',
		});
		expect(failureOf(200, { message: 'Closed today' }).message).toBe(
			'The verification service refused the request: Closed today',
		);
	});

	it('name the missing field of a record inside the record by all its names', () => {
		const owner = objectOf('', { id: identifier('') });
		const method = { ...methods.getBalance, response: recordOf({ owner }) };
		expect(() => readAs(method, { owner: {} })).toThrow('“owner.id” is missing');
	});

	it.each([
		[200, 'unusable'],
		[400, 'refused'],
	])('do not contain the code of a call that was accepted (HTTP status %i)', (status, failure) => {
		const accepted = failureOf(status, { status: true, message: 'Queued', code: 1042 });
		expect(accepted.failure).toBe(failure);
		expect(accepted.message).not.toContain('1042');
	});

	it('contain no secrets, wherever they come from', () => {
		const hide = (text: string) => text.replaceAll('secret', '•••');
		const answers = [
			[200, { status: false, error: 'secret' }],
			[200, 'secret'],
			[200, ['secret']],
			[200, { tariff: 'secret' }],
			[500, 'secret'],
		] as const;
		for (const [statusCode, body] of answers) {
			const { message, advice } = failureOf(statusCode, body, {}, hide);
			expect(message + advice).toContain('•••');
			expect(message + advice).not.toContain('secret');
		}
	});
});

describe('the answer to a check', () => {
	const read = (body: object) => readAs(methods.checkPhone, body);

	it('is a record although its status is false, because it repeats its source', () => {
		expect(read({ status: false, source: '7', error: 'Bad' })).toHaveProperty('source', '7');
	});

	it('is a refusal when it carries a code', () => {
		expect(() => read({ status: false, source: '7', code: 402 })).toThrow(ServiceError);
		expect(() => read({ status: false, error: 'No' })).toThrow('No');
	});
});

describe('a known error code', () => {
	it.each(ERROR_CODES)('$code: $meaning', ({ code, meaning, concerns, advice }) => {
		const error = failureOf(200, { status: false, error: 'In its words', code });
		expect(error).toMatchObject({
			message: `The verification service refused the request: In its words (code ${code})`,
			advice,
			code,
			words: 'In its words',
		});
		expect(concernsEverything(error)).toBe(concerns === 'everything');
		expect(error.failure).toBe(
			concerns === 'everything, for now'
				? 'rateLimited'
				: concerns === 'the service'
					? 'unavailable'
					: 'refused',
		);
		expect(failureOf(200, { status: false, code }).message).toContain(`: ${meaning} (code`);
	});

	it('is in the table once, with words of its own', () => {
		const codes = ERROR_CODES.map(({ code }) => code);
		expect([...new Set(codes)].filter(Number.isInteger)).toEqual(codes);
		const meanings = ERROR_CODES.map(({ meaning }) => meaning);
		expect(new Set(meanings).size).toBe(meanings.length);
	});

	const refusal = (code: number) => failureOf(200, { status: false, error: 'No', code });

	it.each([0, 4, 401, 1001, 1002, 1003, 1004, 1005])(
		'%i refuses every request until somebody changes something',
		(code) => expect(concernsEverything(refusal(code))).toBe(true),
	);

	it.each([50, 429, 1000])('%i refuses every request, but not for long', (code) => {
		expect(concernsEverything(refusal(code))).toBe(false);
		expect(refusal(code).failure).toBe('rateLimited');
	});

	it('is also recognized as text, unless it may be the code of a call', () => {
		const refused = (code: string) => failureOf(200, { status: false, error: 'No', code });
		expect(refused('401')).toMatchObject({
			message: 'The verification service refused the request: No',
			code: 401,
		});
		expect(refused('18').code).toBe(18);
		expect(refused('1002').code).toBeUndefined();
	});

	it('may mean something else for one method', () => {
		const body = { status: false, error: 'Method Not Allowed', code: 405 };
		expect(() => readAs(methods.initRepeat, body)).toThrow(
			'The service no longer supports repeating a call: Method Not Allowed (code 405)',
		);
	});
});

describe('a call that could not be connected', () => {
	const read = (body: object) => readAs(methods.initCall, body);

	it.each(['vendor_id', 'ucaller_id'])('is a record with its %s', (name) => {
		expect(read({ status: false, [name]: 5, phone: '7900***0002', code: '1234' })).toEqual({
			status: false,
			vendor_id: 5,
			phone: '7900***0002',
			code: '1234',
		});
	});

	it('is a refusal without an ID, or with a reason', () => {
		expect(() => read({ status: false })).toThrow('no reason given');
		expect(() => read({ status: false, ucaller_id: null })).toThrow('no reason given');
		expect(() => read({ status: false, ucaller_id: 5, error: 'Blocked' })).toThrow('Blocked');
	});
});
