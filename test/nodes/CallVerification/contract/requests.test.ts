import { methods } from '../../../../nodes/CallVerification/contract/methods';
import {
	checkedBy,
	parseInput,
} from '../../../../nodes/CallVerification/contract/requestValue';
import { InputError } from '../../../../nodes/CallVerification/transport/errors';
import { thrownBy } from '../thrown';

const {
	checkPhone,
	getAccount,
	getBalance,
	getInfo,
	getService,
	inboundCallWaiting,
	initCall,
	initRepeat,
} = methods;

const PHONE = '+7 900 000-00-01';

describe('initCall', () => {
	it.each([
		['code', '0042', '0042'],
		['client', 42, '42'],
		['unique', 'u', 'u'],
		['voice', true, true],
		['mix', false, false],
	])('§initCall(%s) is turned into the type of the contract', (name, value, sent) => {
		const request = { phone: PHONE, [name]: value };
		expect(parseInput(initCall.request, request)).toEqual({ phone: 79000000001, [name]: sent });
	});

	it('needs nothing but the phone', () => {
		expect(parseInput(initCall.request, { phone: PHONE })).toEqual({ phone: 79000000001 });
		expect(() => parseInput(initCall.request, {})).toThrow('The phone number is empty');
	});

	it.each(['client', 'unique'])('takes up to 64 characters for §8.%s', (field) => {
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
		['voice', '79000000001', true],
		['voice', '77010000000', true],
		['voice', '4915100000000', false],
		['mix', '79000000001', true],
		['mix', '77010000000', false],
		['mix', '76010000000', false],
		['mix', '4915100000000', false],
	])('with §8.%s to %s is allowed: %s', (delivery, phone, isAllowed) => {
		const result = initCall.request.safeParse({ phone, [delivery]: true });
		expect(result.success).toBe(isAllowed);
	});

	it.each([
		[{ voice: true }, 'Voice calls are available only for numbers in Russia and Kazakhstan'],
		[{ mix: true }, 'Mixed calls are available only for numbers in Russia'],
	])('says where a call with %j can go', (delivery, message) => {
		const request = { phone: '4915100000000', ...delivery };
		expect(thrownBy(() => parseInput(initCall.request, request))).toMatchObject({
			message,
			advice: 'Choose another “Delivery” for this number, e.g. “Caller Number”.',
		});
	});

	it('accepts any country when voice and mix are off', () => {
		const request = { phone: '4915100000000', voice: false, mix: false };
		expect(initCall.request.safeParse(request).success).toBe(true);
	});
});

describe('the other requests', () => {
	it('getInfo and initRepeat take the call ID as a number', () => {
		for (const { request } of [getInfo, initRepeat]) {
			expect(parseInput(request, { uid: '1234567' })).toEqual({ uid: 1234567 });
		}
	});

	it('inboundCallWaiting takes the digits and the unchanged URL', () => {
		const callback_url = 'https://crm.test/hook?a=1&b=ü';
		expect(parseInput(inboundCallWaiting.request, { phone: PHONE, callback_url })).toEqual({
			phone: 79000000001,
			callback_url,
		});
	});

	it('checkPhone takes the text as typed', () => {
		expect(parseInput(checkPhone.request, { phone: ' +7 900 ' })).toEqual({ phone: ' +7 900 ' });
	});

	it('getAccount, getService and getBalance take nothing', () => {
		for (const { request } of [getAccount, getService, getBalance]) {
			expect(parseInput(request, { uid: 1 })).toEqual({});
		}
	});

	it('may be checked twice without changing', () => {
		const once = parseInput(initCall.request, { phone: PHONE, code: '0042', client: 'c' });
		expect(parseInput(initCall.request, once)).toEqual(once);
	});
});

describe('an invalid value', () => {
	it('causes one error, with what to do', () => {
		try {
			parseInput(initCall.request, { phone: 'x', code: 'y' });
			throw new Error('was not refused');
		} catch (error) {
			expect(error).toBeInstanceOf(InputError);
			expect(error).toMatchObject({
				message: 'Not a phone number',
				advice: expect.stringContaining('Enter the number with its country code'),
			});
		}
	});

	it('is named by its field when a schema alone finds it', () => {
		expect(
			thrownBy(() => parseInput(initCall.request, { phone: PHONE, voice: 'yes' })),
		).toMatchObject({
			message: expect.stringMatching(/^“voice” has an invalid value: .*boolean/),
			advice: 'Check the expression in this field: it must return a value that the field accepts.',
		});
	});

	it('keeps its words when a reader fails in another way', () => {
		const schema = checkedBy(() => {
			throw new TypeError('odd');
		});
		expect(thrownBy(() => parseInput(schema, 1))).toMatchObject({
			name: 'InputError',
			message: 'odd',
			advice: '',
		});
	});
});
