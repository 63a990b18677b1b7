import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../harness/engine/n8nCore';
import { wire } from './wire';

const start = (values: INodeParameters = {}, options: INodeParameters = {}): INodeParameters => ({
	resource: 'call',
	operation: 'start',
	phone: '79000000001',
	delivery: 'callerNumber',
	waitForResult: false,
	options,
	...values,
});
const get = (uid: unknown): INodeParameters => ({
	resource: 'call',
	operation: 'get',
	uid: uid as INodeParameters,
	waitForResult: false,
	simplify: true,
	options: {},
});
const checkCode = (code: unknown): INodeParameters => ({
	resource: 'call',
	operation: 'checkCode',
	uid: 1,
	code: code as INodeParameters,
});
const inbound = (values: INodeParameters): INodeParameters => ({
	resource: 'inboundCall',
	operation: 'start',
	phone: '79000000001',
	callbackTarget: 'url',
	callbackUrl: 'https://crm.test/hook',
	...values,
});

const CODE = 'The code must be four digits from 0001 to 9999';

const CASES: Array<[what: string, parameters: INodeParameters, message: string]> = [
	['the code 7', start({}, { code: '7' }), CODE],
	['the code 7 as a number', start({}, { code: 7 }), CODE],
	['the code 0000', start({}, { code: '0000' }), CODE],
	['the code 12345', start({}, { code: '12345' }), CODE],
	['a code with a letter', start({}, { code: '12a4' }), CODE],
	['no typed code', checkCode('={{ $json.nothing }}'), 'The code is empty'],
	[
		'a call ID where a token is required',
		{ ...checkCode('0042'), options: { requireToken: true } },
		'This node requires a verification token, but got a call ID',
	],
	[
		'a token that somebody made up',
		{ ...checkCode('0042'), uid: `v1.WzEsIjc5MDAiLDld.${'x'.repeat(43)}` },
		'The verification token is not valid',
	],
	[
		'half a number of attempts',
		{ ...checkCode('0042'), options: { maxAttempts: 2.5 } },
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
		'an idempotency key of 65 characters',
		start({}, { unique: 'x'.repeat(65) }),
		'“Idempotency Key” is longer than 64 characters',
	],
	[
		'a uid above 2^53',
		get('9007199254740993'),
		'The call ID is above 9007199254740991 and would be rounded when sent to the service',
	],
	['a uid that is no number', get('12x'), 'The call ID is not a whole number'],
	['a negative uid', get(-5), 'The call ID is not a whole number'],
	['a uid that is an object', get({ id: 1 }), 'The call ID is not a whole number'],
	['no uid', get('={{ $json.nothing }}'), 'The call ID is empty'],
	[
		'a mixed call to Kazakhstan',
		start({ phone: '+7 701 000-00-00', delivery: 'mix' }),
		'“Both” is available only for numbers in Russia',
	],
	[
		'a mixed call to Germany',
		start({ phone: '4915100000000', delivery: 'mix' }),
		'“Both” is available only for numbers in Russia',
	],
	[
		'a voice call to Germany',
		start({ phone: '+49 151 00000000', delivery: 'voice' }),
		'“Spoken Code” is available only for numbers in Russia and Kazakhstan',
	],
	['letters in a number', start({ phone: '7900000000l' }), 'The phone number contains “l”'],
	[
		'a plus sign within a number',
		start({ phone: '7900+0000001' }),
		'The phone number contains a plus sign in the wrong place',
	],
	[
		'a number that is too short',
		start({ phone: '123456' }),
		'The phone number has 6 digits instead of 7 to 15',
	],
	[
		'a number that is too long',
		start({ phone: '1234567890123456' }),
		'The phone number has 16 digits instead of 7 to 15',
	],
	[
		'a number without a country code',
		start({ phone: '0900 000 00 01' }),
		'The phone number starts with 0 instead of a country code',
	],
	['no number', start({ phone: '={{ $json.nothing }}' }), 'The phone number is empty'],
	['only invisible marks', start({ phone: '\u200b\ufeff' }), 'The phone number is empty'],
	[
		'a control character in a number',
		start({ phone: '7900\u00070000001' }),
		'The phone number contains an invisible character (U+0007)',
	],
	[
		'digits of another script',
		start({ phone: '٧٩٠٠٠٠٠٠٠٠١' }),
		'The phone number contains “٧” instead of a digit from 0 to 9',
	],
	[
		'a number that a spreadsheet has rounded',
		start({ phone: '7.9E+10' }),
		'A spreadsheet has rounded the phone number',
	],
	[
		'an inbound number that a spreadsheet has rounded',
		inbound({ phone: '7,9E+10' }),
		'A spreadsheet has rounded the phone number',
	],
	...[true, { number: 1 }, [79000000001]].map((phone): [string, INodeParameters, string] => [
		`${JSON.stringify(phone)} as a number to check`,
		{ resource: 'phoneNumber', operation: 'check', phone },
		'Not a phone number',
	]),
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
		'allowed prefixes that are none',
		start({}, { allowedPrefixes: '7, abc' }),
		'“Allowed Prefixes” contains an invalid prefix',
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

describe('bad input is refused with a clear error, and no request is sent', () => {
	it.each(CASES)('%s', async (_what, parameters, message) => {
		const sent = wire({ body: { status: true, vendor_id: 1 } });
		const { error, success } = await runNode({ parameters });

		expect(error?.message).toEqual(message);
		expect(error?.description).toMatch(/\.$|\}\}\.$/);
		expect(error?.context?.itemIndex).toBe(0);
		expect(success).toEqual([]);
		expect(sent).toEqual([]);
	});

	it.each(['79000000001.0', '7,9000000001E+10', '\u202a+7 900\u200b 000-00-01\u202c'])(
		'accepts %j, which has lost no digit',
		async (phone) => {
			const sent = wire({ body: { status: true, vendor_id: 1 } });
			const calls = [start({ phone }), inbound({ phone })];
			for (const parameters of calls) await runNode({ parameters });
			expect(sent.map(({ fields }) => fields.phone)).toEqual([79000000001, 79000000001]);
		},
	);

	it('accepts a number within the allowed prefixes', async () => {
		const sent = wire({ body: { status: true, vendor_id: 1 } });
		const { error } = await runNode({
			parameters: start({ phone: '+375 29 000-00-00' }, { allowedPrefixes: '7, 375' }),
		});
		expect(error).toBeUndefined();
		expect(sent).toHaveLength(1);
	});

	it('treats an empty optional field as missing', async () => {
		const sent = wire({ body: { status: true, vendor_id: 1 } });
		const { error } = await runNode({
			parameters: start({}, { code: '', client: '', unique: '' }),
		});
		expect(error).toBeUndefined();
		expect(sent[0]?.fields).toEqual({
			phone: 79000000001,
			unique: expect.stringMatching(/^[0-9a-f-]{36}$/),
		});
	});
});
