import { WRONG_NUMBER } from '../../nodes/CallVerification/contract/errorCodes';
import { runNode } from '../../harness/engine/n8nCore';
import { checkPhone, getCall, startCall, TOOL } from './parameters';
import { replying, simulate } from './simulatedRun';
import { wire } from './wire';

/** The sample records of section 2, with every field that the contract names. */
const CALL = {
	status: true,
	vendor_id: 1234567,
	init_time: 1_700_000_000,
	call_status: 1,
	is_repeated: false,
	first_vendor_id: 1,
	repeatable: true,
	repeat_times: 2,
	repeated_vendor_ids: [2, 3],
	unique: 'key',
	client: 'customer-42',
	phone: '7900*****01',
	code: '0042',
	country_code: 'RU',
	phone_info: [{ operator: 'A', region: 'B', mnp: 'C' }],
	cost: 0.4,
	balance: 99.5,
};
const DEPRECATED = [
	'is_repeated',
	'first_vendor_id',
	'repeatable',
	'repeat_times',
	'repeated_vendor_ids',
];
const CHECK = {
	source: '+7 900 000-00-01',
	mobile: 1,
	phone: 79000000001,
	country_iso: 'RU',
	country_code: 7,
	mnc: 1,
	number: 9000000001,
	provider: 'A',
	company: 'A Ltd',
	country: 'Russia',
	region: 'B',
	city: 'C',
	phone_format: '8 900 000-00-01',
	cost: 0.1,
	balance: 99.5,
};
const ACCOUNT = {
	id: 5,
	telegram_id: 6,
	two_auth: true,
	email: 'a@example.com',
	logs: [{ action: 'login', user_agent: 'x', ip: 2130706433, created: 1 }],
	updated: 2,
	created: 1,
};

describe('call.get', () => {
	it('returns at most ten fields and no deprecated one when simplified (§9.3)', async () => {
		wire({ body: CALL });
		const { success } = await runNode({ parameters: getCall() });
		const fields = Object.keys(success[0]?.json ?? {});
		expect(fields.length).toBeLessThanOrEqual(10);
		expect(fields).toEqual(expect.arrayContaining(['vendor_id', 'call_state', 'code', 'cost']));
		expect(fields.filter((field) => DEPRECATED.includes(field))).toEqual([]);
	});

	it('returns the whole record, with unknown fields, when not simplified', async () => {
		wire({ body: { ...CALL, brand_new: 'x' } });
		const { success } = await runNode({ parameters: getCall({ simplify: false }) });
		expect(success[0]?.json).toEqual({
			...CALL,
			phone_info: { operator: 'A', region: 'B', mnp: 'C' },
			call_state: 'completed',
			brand_new: 'x',
		});
	});

	it.each([
		[-1, 'checking'],
		[0, 'failed'],
		[1, 'completed'],
		[7, 'unknown'],
		['1', 'completed'],
		[null, 'unknown'],
	])('names the call_status %j as in §3.%s', async (call_status, call_state) => {
		wire({ body: { ...CALL, call_status } });
		const { success } = await runNode({ parameters: getCall() });
		expect(success[0]?.json.call_state).toBe(call_state);
	});

	it('does not wait for a call that is settled', async () => {
		const sent = wire({ body: CALL });
		await runNode({ parameters: getCall({ waitForResult: true }) });
		expect(sent).toHaveLength(1);
	});

	it('waits until a call is settled', async () => {
		const sent = wire({ body: { ...CALL, call_status: -1 } }, { body: CALL });
		const { success } = await runNode({ parameters: getCall({ waitForResult: true }) });
		expect(sent).toHaveLength(2);
		expect(success[0]?.json.call_state).toBe('completed');
	});
});

describe('call.start', () => {
	const verification_token: unknown = expect.stringMatching(/^v1\.[0-9a-f]{96}$/);
	const STARTED = { status: true, vendor_id: 9, phone: '7900*****01', code: '0042', client: 'c' };

	it('returns the record of the start, its number masked as received (§1.8, §2.mask)', async () => {
		wire({ body: { ...STARTED, unique_request_id: 'key', exists: true } });
		const { success } = await runNode({ parameters: startCall() });
		expect(success[0]?.json).toEqual({
			...STARTED,
			unique_request_id: 'key',
			exists: true,
			verification_token,
		});
	});

	it('adds the result of the call when it waits for it', async () => {
		const sent = wire({ body: STARTED }, { body: { ...CALL, vendor_id: 9, call_status: 0 } });
		const { success } = await runNode({ parameters: startCall({ waitForResult: true }) });
		expect(sent.map(({ path }) => path)).toEqual(['/v1.0/initCall', '/v1.0/getInfo']);
		expect(success[0]?.json).toMatchObject({ ...STARTED, call_status: 0, call_state: 'failed' });
	});

	it('keeps the record of a call that was made when its result cannot be read', async () => {
		wire({ body: STARTED }, { body: { status: false, error: 'Down', code: 500 } });
		const { success, error } = await runNode({
			parameters: startCall({ waitForResult: true, requestOptions: { maxRetries: 0 } }),
		});
		expect(error).toBeUndefined();
		expect(success[0]?.json).toEqual({ ...STARTED, verification_token, call_state: 'unknown' });
	});

	it('says “checking” when the wait ends first', async () => {
		const { success, seconds } = await simulate({
			service: replying(({ method }) => ({
				body: method === 'initCall' ? STARTED : { ...CALL, vendor_id: 9, call_status: -1 },
			})),
			parameters: startCall({ waitForResult: true, options: { maxWait: 7 } }),
		});
		expect(success[0]?.json.call_state).toBe('checking');
		expect(seconds).toBeLessThanOrEqual(7.1);
	});

	it('sends the same key when n8n reruns the node, and another in another execution (§4.1.unique)', async () => {
		const refused = { body: { status: false, error: 'Busy', code: 500 } };
		const sent = wire(refused, refused, { body: STARTED });
		const parameters = startCall({ requestOptions: { maxRetries: 0 } });
		await runNode({ parameters, retryOnFail: true, executionId: '1' });
		await runNode({ parameters, executionId: '2' });
		const keys = sent.map(({ fields }) => fields.unique);
		expect(keys).toHaveLength(4);
		expect(new Set(keys.slice(0, 3)).size).toBe(1);
		expect(keys[3]).not.toBe(keys[0]);
		expect(keys[0]).toMatch(
			/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
		);
	});
});

describe('phoneNumber.check', () => {
	const check = (values = {}) => checkPhone({ phone: '+7 900 000-00-01', ...values });

	it('returns at most ten fields when simplified', async () => {
		wire({ body: CHECK });
		const { success } = await runNode({ parameters: check() });
		const json = success[0]?.json ?? {};
		expect(Object.keys(json).length).toBeLessThanOrEqual(10);
		expect(json).toMatchObject({ source: CHECK.source, valid: true, cost: 0.1 });
	});

	it('returns the most wanted fields first when simplified', async () => {
		wire({ body: CHECK });
		const { success } = await runNode({ parameters: check() });
		expect(Object.keys(success[0]?.json ?? {}).slice(0, 5)).toEqual([
			'valid',
			'phone_e164',
			'mobile',
			'operator',
			'reason',
		]);
		expect(success[0]?.json.operator).toBe(CHECK.provider);
	});

	it.each([true, false])('has nothing empty for a good number (simplify: %s)', async (simplify) => {
		wire({ body: CHECK });
		const { success } = await runNode({ parameters: check({ simplify }) });
		const values = Object.values(success[0]?.json ?? {});
		expect(values.filter((value) => value === null || value === '')).toEqual([]);
		expect(success[0]?.json.reason).toBe('ok');
	});

	it('returns every field under the service’s name when not simplified', async () => {
		wire({ body: CHECK });
		const { success } = await runNode({ parameters: check({ simplify: false }) });
		const json = success[0]?.json ?? {};
		expect(json).toEqual({ ...CHECK, valid: true, phone_e164: `+${CHECK.phone}`, reason: 'ok' });
		expect(Object.keys(json).slice(0, 4)).toEqual(['valid', 'phone_e164', 'mobile', 'provider']);
	});

	it.each([
		['the number of the service', 79000000001, '8 (900) 000-00-01', '+79000000001'],
		[
			'the text of a number with plus that the service leaves out',
			0,
			' +49 151 23456789',
			'+4915123456789',
		],
		['empty if only the service could know the country', 0, '8 900 000-00-01', ''],
		['empty if the text is no number either', null, '+7 900 CALL', ''],
		['empty for what is not a whole number', 7900000000.5, '79000000001', ''],
	])('has phone_e164: %s', async (_what, phone, written, expected) => {
		wire({ body: { source: 's', phone } });
		for (const simplify of [true, false]) {
			const { success } = await runNode({ parameters: check({ phone: written, simplify }) });
			expect(success[0]?.json).toMatchObject({ valid: true, phone_e164: expected });
		}
	});

	it.each([
		['a record', { body: { source: 's', phone: 79000000001, error: 'Invalid' } }],
		['an error object', { body: { status: false, code: WRONG_NUMBER, error: 'Invalid' } }],
	])(
		'has an empty phone_e164 if the service says in %s that it is invalid',
		async (_how, reply) => {
			wire(reply);
			const { success } = await runNode({ parameters: check() });
			expect(success[0]?.json).toMatchObject({ valid: false, phone_e164: '' });
		},
	);

	it('fills in the source where the service leaves it out', async () => {
		wire({ body: { phone: 79000000001 } });
		const { success } = await runNode({ parameters: check() });
		expect(success[0]?.json.source).toBe('+7 900 000-00-01');
	});
});

describe('account and service', () => {
	it('account.get needs no status, and leaves the history out when simplified (§2.5)', async () => {
		wire({ body: ACCOUNT });
		const { success } = await runNode({
			parameters: { resource: 'account', operation: 'get', simplify: true },
		});
		expect(success[0]?.json).toEqual({
			id: 5,
			email: 'a@example.com',
			telegram_id: 6,
			two_auth: true,
			updated: 2,
			created: 1,
		});
	});

	it('account.get returns the history with readable addresses when not simplified', async () => {
		wire({ body: ACCOUNT });
		const { success } = await runNode({
			parameters: { resource: 'account', operation: 'get', simplify: false },
		});
		expect(success[0]?.json.logs).toEqual([
			{ action: 'login', user_agent: 'x', ip: '127.0.0.1', created: 1 },
		]);
	});

	it('account.getBalance returns the balance as a number, and any tariff (§2.tariff)', async () => {
		wire({ body: { status: true, rub_balance: '99.50', tariff: 't', tariff_name: 'T' } });
		const { success } = await runNode({
			parameters: { resource: 'account', operation: 'getBalance' },
		});
		expect(success[0]?.json).toEqual({
			status: true,
			rub_balance: 99.5,
			tariff: 't',
			tariff_name: 'T',
		});
	});
});

describe('as an AI tool', () => {
	const nodeType = TOOL;

	it('call.start neither waits nor shows the code', async () => {
		const sent = wire({ body: { status: true, vendor_id: 9, code: '0042', exists: false } });
		const { success } = await runNode({
			parameters: startCall({ waitForResult: true }),
			nodeType,
		});
		expect(sent).toHaveLength(1);
		expect(success[0]?.json).toEqual({
			status: true,
			vendor_id: 9,
			exists: false,
			verification_token: expect.any(String),
		});
	});

	it.each([true, false])(
		'call.get neither waits nor shows the code (simplify: %s)',
		async (simplify) => {
			const sent = wire({ body: { ...CALL, call_status: -1 } });
			const { success } = await runNode({
				parameters: getCall({ waitForResult: true, simplify }),
				nodeType,
			});
			expect(sent).toHaveLength(1);
			expect(success[0]?.json).not.toHaveProperty('code');
		},
	);
});
