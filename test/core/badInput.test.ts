import type { INodeParameters } from 'n8n-workflow';

import { checkCode, checkPhone, getCall, getNumber as inbound, startCall } from './parameters';
import { adviceOf, runOn } from './wire';

const to = (phone: string, values: INodeParameters = {}) => startCall({ phone, ...values });
const start = (options: INodeParameters) => startCall({ options });
const checking = (options: INodeParameters) => checkCode({ options });
const get = (uid: unknown) => getCall({ uid: uid as INodeParameters });
const PREFIXES = { options: { allowedPrefixes: '7, 375' } };
const OUTSIDE = 'The phone number does not start with any of the allowed prefixes';
const FORGED = `v1.WzEsIjc5MDAiLDld.${'x'.repeat(43)}`;
const UNKNOWN: string = expect.stringContaining('“delivery” has an invalid value');
const ROUNDED =
	'The call ID is above 9007199254740991 and would be rounded when sent to the service';
const NO_TOKEN = 'This node requires a verification token, but got a call ID';
const COOLDOWN = '“Cooldown per Number” must be a number from 0 to 44640';
const TIMEOUT = '“Timeout” must be more than 0 and at most 300 seconds';

/** One of each kind; how a number or a text may be written is tested without n8n. */
const CASES: Array<[what: string, parameters: INodeParameters, message: string]> = [
	['the code 7', start({ code: 7 }), 'The code must be four digits from 0001 to 9999'],
	['no typed code', checkCode({ code: '={{ $json.nothing }}' }), 'The code is empty'],
	['a call ID where a token is required', checking({ requireToken: true }), NO_TOKEN],
	['a forged token', checkCode({ uid: FORGED }), 'The verification token is not valid'],
	[
		'half a number of attempts',
		checking({ maxAttempts: 2.5 }),
		'“Max Attempts” must be a whole number from 0 to 100',
	],
	['a negative cooldown', start({ cooldown: -1 }), COOLDOWN],
	[
		'a client of 65 characters (§8.size)',
		start({ client: 'x'.repeat(65) }),
		'“Customer ID” is longer than 64 characters',
	],
	['a uid above 2^53', get('9007199254740993'), ROUNDED],
	['a uid that is an object', get({ id: 1 }), 'The call ID is not a whole number'],
	['no uid', get('={{ $json.nothing }}'), 'The call ID is empty'],
	[
		'a mixed call to Kazakhstan',
		to('+7 701 000-00-00', { delivery: 'mix' }),
		'“Both” is available only for numbers in Russia',
	],
	[
		'a voice call to Germany',
		to('+49 151 00000000', { delivery: 'voice' }),
		'“Spoken Code” is available only for numbers in Russia and Kazakhstan',
	],
	['letters in a number', to('7900000000l'), 'The phone number contains “l”'],
	['no number', to('={{ $json.nothing }}'), 'The phone number is empty'],
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
	['a number outside the allowed prefixes', to('4915100000000', PREFIXES), OUTSIDE],
	[
		'an inbound number outside the allowed prefixes',
		inbound({ phone: '4915100000000', ...PREFIXES }),
		OUTSIDE,
	],
	['a delivery that does not exist', startCall({ delivery: 'pigeon' }), UNKNOWN],
	['a timeout of 0 seconds', startCall({ requestOptions: { timeout: 0 } }), TIMEOUT],
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
		expect(adviceOf(error)).toMatch(/\.$/);
		expect(error?.context?.itemIndex).toBe(0);
		expect([success, sent]).toEqual([[], []]);
	});

	it('accepts a number within the allowed prefixes', async () => {
		const { error, sent } = await runOn(CALL, to('+375 29 000-00-00', PREFIXES));
		expect(error).toBeUndefined();
		expect(sent).toHaveLength(1);
	});

	it('treats an empty optional field as missing', async () => {
		const { error, sent } = await runOn(CALL, start({ code: '', client: '', unique: '' }));
		expect(error).toBeUndefined();
		const unique: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
		expect(sent[0]?.fields).toEqual({ phone: 79000000001, unique });
	});
});
