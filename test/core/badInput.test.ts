import type { INodeParameters } from 'n8n-workflow';

import { checkCode, checkPhone, getCall, getNumber as inbound, startCall } from './parameters';
import { runOn } from './wire';

const start = (values: INodeParameters = {}, options: INodeParameters = {}) =>
	startCall({ options, ...values });
const get = (uid: unknown) => getCall({ uid: uid as INodeParameters });

/** One of each kind; how a number or a text may be written is tested without n8n. */
const CASES: Array<[what: string, parameters: INodeParameters, message: string]> = [
	['the code 7', start({}, { code: 7 }), 'The code must be four digits from 0001 to 9999'],
	['no typed code', checkCode({ code: '={{ $json.nothing }}' }), 'The code is empty'],
	[
		'a call ID where a token is required',
		checkCode({ options: { requireToken: true } }),
		'This node requires a verification token, but got a call ID',
	],
	[
		'a token that somebody made up',
		checkCode({ uid: `v1.WzEsIjc5MDAiLDld.${'x'.repeat(43)}` }),
		'The verification token is not valid',
	],
	[
		'half a number of attempts',
		checkCode({ options: { maxAttempts: 2.5 } }),
		'“Max Attempts” must be a whole number from 0 to 100',
	],
	[
		'a negative cooldown',
		start({}, { cooldown: -1 }),
		'“Cooldown per Number” must be a number from 0 to 44640',
	],
	[
		'a client of 65 characters (§8.size)',
		start({}, { client: 'x'.repeat(65) }),
		'“Customer ID” is longer than 64 characters',
	],
	[
		'a uid above 2^53',
		get('9007199254740993'),
		'The call ID is above 9007199254740991 and would be rounded when sent to the service',
	],
	['a uid that is an object', get({ id: 1 }), 'The call ID is not a whole number'],
	['no uid', get('={{ $json.nothing }}'), 'The call ID is empty'],
	[
		'a mixed call to Kazakhstan',
		start({ phone: '+7 701 000-00-00', delivery: 'mix' }),
		'“Both” is available only for numbers in Russia',
	],
	[
		'a voice call to Germany',
		start({ phone: '+49 151 00000000', delivery: 'voice' }),
		'“Spoken Code” is available only for numbers in Russia and Kazakhstan',
	],
	['letters in a number', start({ phone: '7900000000l' }), 'The phone number contains “l”'],
	['no number', start({ phone: '={{ $json.nothing }}' }), 'The phone number is empty'],
	[
		'an inbound number that a spreadsheet has rounded',
		inbound({ phone: '7,9E+10' }),
		'A spreadsheet has rounded the phone number',
	],
	['a list as a number to check', checkPhone({ phone: [79000000001] }), 'Not a phone number'],
	['letters in an inbound number', inbound({ phone: 'abc' }), 'Not a phone number'],
	[
		'a callback that is no web address',
		inbound({ callbackUrl: 'ftp://crm.test' }),
		'“Callback URL” is not a complete URL',
	],
	[
		'a number outside the allowed prefixes',
		start({ phone: '4915100000000' }, { allowedPrefixes: '7, 375' }),
		'The phone number does not start with any of the allowed prefixes',
	],
	[
		'an inbound number outside the allowed prefixes',
		inbound({ phone: '4915100000000', options: { allowedPrefixes: '7, 375' } }),
		'The phone number does not start with any of the allowed prefixes',
	],
	[
		'a delivery that does not exist',
		start({ delivery: 'pigeon' }),
		expect.stringContaining('“delivery” has an invalid value'),
	],
	[
		'a timeout of 0 seconds',
		start({ requestOptions: { timeout: 0 } }),
		'“Timeout” must be more than 0 and at most 300 seconds',
	],
	[
		'an operation that does not exist',
		{ resource: 'call', operation: 'hangUp' },
		'The selected operation does not exist',
	],
];

const CALL = { body: { status: true, vendor_id: 1 } };

describe('bad input is refused with a clear error, and no request is sent', () => {
	it.each(CASES)('%s', async (_what, parameters, message) => {
		const { error, success, sent } = await runOn(CALL, parameters);
		expect(error?.message).toEqual(message);
		expect(error?.description).toMatch(/\.$|\}\}\.$/);
		expect(error?.context?.itemIndex).toBe(0);
		expect([success, sent]).toEqual([[], []]);
	});

	it('accepts a number within the allowed prefixes', async () => {
		const parameters = start({ phone: '+375 29 000-00-00' }, { allowedPrefixes: '7, 375' });
		const { error, sent } = await runOn(CALL, parameters);
		expect(error).toBeUndefined();
		expect(sent).toHaveLength(1);
	});

	it('treats an empty optional field as missing', async () => {
		const { error, sent } = await runOn(CALL, start({}, { code: '', client: '', unique: '' }));
		expect(error).toBeUndefined();
		const unique: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
		expect(sent[0]?.fields).toEqual({ phone: 79000000001, unique });
	});
});
