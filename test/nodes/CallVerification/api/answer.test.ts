import fc from 'fast-check';

import { readAnswer } from '../../../../nodes/CallVerification/api/answer';
import * as methods from '../../../../nodes/CallVerification/api/contract/methods';
import { ServiceError } from '../../../../nodes/CallVerification/api/errors';

const asIs = (text: string) => text;

const failureOf = (statusCode: number, body: unknown, headers = {}): ServiceError => {
	try {
		readAnswer(methods.getBalance, { statusCode, headers, body }, asIs);
	} catch (error) {
		if (error instanceof ServiceError) return error;
	}
	throw new Error('was taken for an answer');
};

describe('any answer at all', () => {
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
					const record = readAnswer(method, { statusCode, headers: {}, body: value }, asIs);
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

describe('what a failure means for sending again', () => {
	it.each([
		[429, 'throttled'],
		[408, 'unavailable'],
		[500, 'unavailable'],
		[503, 'unavailable'],
		[400, 'refused'],
		[401, 'refused'],
		[404, 'refused'],
	])('HTTP status %i and the code %i alike are “%s”', (status, failure) => {
		expect(failureOf(status, 'text').failure).toBe(failure);
		expect(failureOf(status, { status: false, error: 'x' }).failure).toBe(failure);
		expect(failureOf(200, { status: false, error: 'x', code: status }).failure).toBe(failure);
	});

	it('half an answer is “garbled”, an answer of another kind is not', () => {
		expect(failureOf(200, '{"status":tr').failure).toBe('garbled');
		expect(failureOf(200, '').failure).toBe('garbled');
		expect(failureOf(200, []).failure).toBe('refused');
		expect(failureOf(200, { status: true }).failure).toBe('refused');
	});

	it('the header Retry-After is kept', () => {
		const headers = { 'retry-after': '7' };
		expect(failureOf(429, 'x', headers).retryAfter).toBe('7');
		expect(failureOf(200, { status: false, code: 429 }, headers).retryAfter).toBe('7');
		expect(failureOf(429, 'x').retryAfter).toBeUndefined();
	});

	it('the HTTP status counts before the code', () => {
		expect(failureOf(503, { status: false, error: 'x', code: 401 }).status).toBe(503);
	});
});

describe('the mark of a refusal', () => {
	it.each([false, 'false', 0])('is the status %j', (status) => {
		expect(failureOf(200, { status, error: 'No', rub_balance: 5 }).message).toContain('No');
	});

	it.each([true, 1, 'true', undefined, null])('is not the status %j', (status) => {
		const body = { status, rub_balance: 5 };
		expect(
			readAnswer(methods.getBalance, { statusCode: 200, headers: {}, body }, asIs),
		).toHaveProperty('rub_balance', 5);
	});

	it('gives the words of an object or a list too', () => {
		expect(failureOf(200, { status: false, error: { why: 'x' } }).message).toContain('{"why":"x"}');
		expect(failureOf(200, { status: false, message: 'Other key' }).message).toContain('Other key');
	});
});
