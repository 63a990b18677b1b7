import { z } from 'zod';

import { methods } from '../../../../nodes/CallVerification/contract/methods';
import {
	checkedBy,
	InputError,
	parseInput,
} from '../../../../nodes/CallVerification/contract/request';
import { thrownBy } from '../thrown';

const { checkPhone, getInfo, inboundCallWaiting, initCall, initRepeat } = methods;
const PHONE = 79000000001;

describe('initCall', () => {
	it.each([
		['code', '0042', '0042'],
		['client', 42, '42'],
		['unique', 'u', 'u'],
		['voice', true, true],
		['mix', false, false],
	])('§initCall(%s) is turned into the type of the contract', (name, value, sent) => {
		const request = { phone: PHONE, [name]: value };
		expect(parseInput(initCall.request, request)).toEqual({ phone: PHONE, [name]: sent });
	});

	it('needs nothing but the phone', () => {
		expect(parseInput(initCall.request, { phone: PHONE })).toEqual({ phone: PHONE });
		expect(() => parseInput(initCall.request, {})).toThrow('“phone” has an invalid value');
	});

	it.each(['client', 'unique'])('takes up to 64 characters for §8.initCall.%s', (field) => {
		for (const longest of ['x'.repeat(64), '😀'.repeat(64)]) {
			expect(parseInput(initCall.request, { phone: PHONE, [field]: longest })).toHaveProperty(
				field,
				longest,
			);
			expect(() => parseInput(initCall.request, { phone: PHONE, [field]: `${longest}y` })).toThrow(
				'is longer than 64 characters',
			);
		}
	});

	it('says which text is too long, and how long it may be', () => {
		const request = { phone: PHONE, unique: 'x'.repeat(65) };
		expect(thrownBy(() => parseInput(initCall.request, request))).toMatchObject({
			message: '“Idempotency Key” is longer than 64 characters',
			advice: 'Shorten it to 64 characters.',
		});
	});

	it.each([
		['voice', 79000000001, true],
		['voice', 77010000000, true],
		['voice', 4915100000000, false],
		['mix', 79000000001, true],
		['mix', 77010000000, false],
		['mix', 76010000000, false],
		['mix', 4915100000000, false],
	])('with §8.initCall.%s to %s is allowed: %s', (delivery, phone, isAllowed) => {
		const start = () => parseInput(initCall.request, { phone, [delivery]: true });
		if (isAllowed) expect(start()).toMatchObject({ phone });
		else expect(start).toThrow(InputError);
	});

	it.each([
		[{ voice: true }, '“Spoken Code” is available only for numbers in Russia and Kazakhstan'],
		[{ mix: true }, '“Both” is available only for numbers in Russia'],
	])('says where a call with %j can go', (delivery, message) => {
		const request = { phone: 4915100000000, ...delivery };
		expect(thrownBy(() => parseInput(initCall.request, request))).toMatchObject({
			message,
			advice: 'Choose another “Delivery” for this number, e.g. “Missed Call”.',
		});
	});

	it('accepts any country when voice and mix are off', () => {
		const request = { phone: 4915100000000, voice: false, mix: false };
		expect(initCall.request.safeParse(request).success).toBe(true);
	});
});

describe('a request', () => {
	it('may be checked twice without changing', () => {
		const once = parseInput(initCall.request, { phone: PHONE, code: '0042', client: 'c' });
		expect(parseInput(initCall.request, once)).toEqual(once);
	});
});

/** The second line: operations read what people write, and say what is wrong with it. */
describe('a request that no operation makes', () => {
	it.each([
		['an empty phone', initCall, {}],
		['a phone as text', initCall, { phone: '79000000001' }],
		['a phone of 6 digits', initCall, { phone: 999_999 }],
		['a phone of 16 digits', initCall, { phone: 1_000_000_000_000_000 }],
		['half a digit', initCall, { phone: 79000000001.5 }],
		['a code as a number', initCall, { phone: PHONE, code: 42 }],
		['a code of three digits', initCall, { phone: PHONE, code: '042' }],
		['a code of five digits', initCall, { phone: PHONE, code: '10042' }],
		['the code 0000', initCall, { phone: PHONE, code: '0000' }],
		['a call ID as text', getInfo, { uid: '1' }],
		['a rounded call ID', getInfo, { uid: 2 ** 53 }],
		['a negative call ID', initRepeat, { uid: -1 }],
		['a callback without a URL', inboundCallWaiting, { phone: PHONE, callback_url: '' }],
		['a callback of another kind', inboundCallWaiting, { phone: PHONE, callback_url: 'ftp://x' }],
		['an empty text to check', checkPhone, { phone: '' }],
	])('is rejected: %s', (_what, { request }, parameters) => {
		expect(() => parseInput(request, parameters)).toThrow(InputError);
	});
});

describe('an invalid value', () => {
	const refusing = checkedBy(() => {
		throw new InputError('Wrong', 'Mend it.');
	});

	it('causes one error, with what to do', () => {
		const schema = z.object({ one: refusing, other: refusing });
		const error = thrownBy(() => parseInput(schema, {}));
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({ message: 'Wrong', advice: 'Mend it.' });
	});

	it('is named by its field when a schema alone finds it', () => {
		const schema = z.object({ call: z.object({ phone: z.number({ message: 'not a number' }) }) });
		expect(thrownBy(() => parseInput(schema, { call: { phone: 'x' } }))).toMatchObject({
			message: '“call.phone” has an invalid value: not a number',
			advice: 'Check the expression in this field: it must return a value that the field accepts.',
		});
	});
});
