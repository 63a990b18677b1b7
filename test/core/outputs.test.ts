import { WRONG_NUMBER } from '../../nodes/CallVerification/contract/errorCodes';
import { CHECKED as CHECK, checkPhone, ERROR_OUTPUT, getCall, startCall, TOOL } from './parameters';
import { replying, simulate } from './simulatedRun';
import { runOn } from './wire';

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
const ACCOUNT = {
	id: 5,
	telegram_id: 6,
	two_auth: true,
	email: 'a@example.com',
	logs: [{ action: 'login', user_agent: 'x', ip: 2130706433, created: 1 }],
	updated: 2,
	created: 1,
};

const check = (values = {}) => checkPhone({ phone: '+7 900 000-00-01', ...values });
const account = (simplify: boolean) => ({ resource: 'account', operation: 'get', simplify });

/** At most ten, the most wanted first, and none that the contract calls deprecated. */
it.each([
	[
		'call.get returns, when simplified (§9.3)',
		getCall(),
		CALL,
		'vendor_id call_status call_state init_time phone code client country_code phone_info cost',
	],
	[
		'phoneNumber.check returns, when simplified',
		check(),
		CHECK,
		'valid phone_e164 mobile operator reason source country region phone cost',
	],
	[
		'account.get needs no status, and leaves the history out when simplified (§2.5)',
		account(true),
		ACCOUNT,
		'id email telegram_id two_auth updated created',
	],
])('%s: few fields', async (_what, parameters, body, fields) => {
	const { json } = await runOn({ body }, parameters);
	expect(Object.keys(json).join(' ')).toBe(fields);
});

/** PostgreSQL takes neither NUL nor half of a surrogate pair, and an example would lose a whole chunk of rows. */
describe('what a database refuses', () => {
	const REFUSED = 'A\0 Ltd \ud83d 😀 \udc00';
	const STORABLE = 'A\ufffd Ltd \ufffd 😀 \ufffd';

	it('is replaced in a text of the service', async () => {
		const body = { ...CHECK, provider: REFUSED, region: REFUSED };
		const { json } = await runOn({ body }, check());
		expect(json).toMatchObject({ operator: STORABLE, region: STORABLE });
	});

	it('is replaced at any depth, in names and in fields of no contract', async () => {
		const body = { ...CALL, phone_info: { operator: REFUSED }, more: [{ [REFUSED]: [REFUSED] }] };
		const { json } = await runOn({ body }, getCall({ simplify: false }));
		expect(json).toMatchObject({
			phone_info: { operator: STORABLE },
			more: [{ [STORABLE]: [STORABLE] }],
		});
	});

	it('is replaced in the number as it was written, but not in the input itself', async () => {
		const parameters = checkPhone({ options: { includeInputFields: true } });
		const { json, sent } = await runOn({ body: CHECK }, parameters, {
			items: [{ phone: REFUSED }],
		});
		expect(json).toMatchObject({ valid: null, source: STORABLE, phone: REFUSED });
		expect(sent).toEqual([]);
	});

	it.each([
		['0.05 RUB', null],
		['1,000', null],
		[{ amount: 1 }, null],
		[true, null],
		[null, null],
		[false, 0],
		['0.05', 0.05],
		[0.05, 0.05],
	])('is no price: %j is %j', async (cost, price) => {
		const checked = await runOn({ body: { ...CHECK, cost } }, check());
		expect(checked.json.cost).toBe(price);
		const call = await runOn({ body: { ...CALL, cost } }, getCall());
		expect(call.json.cost).toBe(price);
	});
});

describe('call.get', () => {
	it('returns the whole record, with unknown fields, when not simplified', async () => {
		const body = { ...CALL, brand_new: 'x' };
		const { json } = await runOn({ body }, getCall({ simplify: false }));
		expect(json).toEqual({
			...body,
			phone_info: { operator: 'A', region: 'B', mnp: 'C' },
			call_state: 'completed',
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
		const { json } = await runOn({ body: { ...CALL, call_status } }, getCall());
		expect(json.call_state).toBe(call_state);
	});

	it.each([
		['does not wait for a call that is settled', [CALL]],
		['waits until a call is settled', [{ ...CALL, call_status: -1 }, CALL]],
	])('%s', async (_what, bodies) => {
		const replies = bodies.map((body) => ({ body }));
		const { sent, json } = await runOn(replies, getCall({ waitForResult: true }));
		expect(sent).toHaveLength(bodies.length);
		expect(json.call_state).toBe('completed');
	});
});

describe('call.start', () => {
	const verification_token: unknown = expect.stringMatching(/^v1\.[0-9a-f]{96}$/);
	const STARTED = { status: true, vendor_id: 9, phone: '7900*****01', code: '0042', client: 'c' };
	const waiting = startCall({ waitForResult: true, requestOptions: { maxRetries: 0 } });

	it('returns the record of the start, its number masked as received (§1.8, §2.mask)', async () => {
		const body = { ...STARTED, unique_request_id: 'key', exists: true };
		const { json } = await runOn({ body }, startCall());
		expect(json).toEqual({ ...body, called_at: null, next_call_at: null, verification_token });
	});

	it('adds the result of the call when it waits for it', async () => {
		const failed = { ...CALL, vendor_id: 9, call_status: 0 };
		const { json, sent } = await runOn([{ body: STARTED }, { body: failed }], waiting);
		expect(sent.map(({ path }) => path)).toEqual(['/v1.0/initCall', '/v1.0/getInfo']);
		expect(json).toMatchObject({ ...STARTED, call_status: 0, call_state: 'failed' });
	});

	it('keeps the record of a call that was made when its result cannot be read', async () => {
		const down = { body: { status: false, error: 'Down', code: 500 } };
		const { json, error } = await runOn([{ body: STARTED }, down], waiting);
		expect(error).toBeUndefined();
		expect(json).toMatchObject({ ...STARTED, verification_token, call_state: 'unknown' });
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
});

describe('phoneNumber.check', () => {
	it.each([true, false])('has nothing empty for a good number (simplify: %s)', async (simplify) => {
		const { json } = await runOn({ body: CHECK }, check({ simplify }));
		expect(Object.values(json).filter((value) => value === null || value === '')).toEqual([]);
		expect(json).toMatchObject({
			valid: true,
			reason: 'ok',
			source: CHECK.source,
			cost: CHECK.cost,
		});
		expect(json[simplify ? 'operator' : 'provider']).toBe(CHECK.provider);
	});

	it('returns every field under the service’s name when not simplified', async () => {
		const { json } = await runOn({ body: CHECK }, check({ simplify: false }));
		expect(json).toEqual({ ...CHECK, valid: true, phone_e164: `+${CHECK.phone}`, reason: 'ok' });
		expect(Object.keys(json).slice(0, 4)).toEqual(['valid', 'phone_e164', 'mobile', 'provider']);
	});

	it.each([
		['the number of the service', 79000000001, '8 (900) 000-00-01', '+79000000001'],
		['the number with plus, if the service has none', 0, ' +49 151 23456789', '+4915123456789'],
		['empty if only the service could know the country', 0, '8 900 000-00-01', ''],
		['empty if nobody says a number', null, '9000000001', ''],
		['empty for what is not a whole number', 7900000000.5, '79000000001', ''],
	])('has phone_e164: %s', async (_what, phone, written, phone_e164) => {
		for (const simplify of [true, false]) {
			const body = { source: 's', phone };
			const { json } = await runOn({ body }, check({ phone: written, simplify }));
			expect(json).toMatchObject({ valid: true, phone_e164 });
		}
	});

	it.each([
		['a record', { source: 's', phone: 79000000001, error: 'Invalid' }],
		['an error object', { status: false, code: WRONG_NUMBER, error: 'Invalid' }],
	])(
		'is a result if the service says in %s that it is invalid (§4.5, §7.4)',
		async (_how, body) => {
			const { json, failures } = await runOn({ body }, check(), ERROR_OUTPUT);
			expect(failures).toEqual([]);
			expect(json).toMatchObject({ valid: false, phone_e164: '', reason: 'Invalid' });
			expect(json).not.toHaveProperty('error');
		},
	);

	it('fills in the source where the service leaves it out', async () => {
		const { json } = await runOn({ body: { phone: 79000000001 } }, check());
		expect(json.source).toBe('+7 900 000-00-01');
	});
});

describe('account and service', () => {
	it('account.get returns the history with readable addresses when not simplified', async () => {
		const { json } = await runOn({ body: ACCOUNT }, account(false));
		expect(json.logs).toEqual([{ ...ACCOUNT.logs[0], ip: '127.0.0.1' }]);
	});

	it('account.getBalance returns the balance as a number, and any tariff (§2.tariff)', async () => {
		const body = { status: true, rub_balance: '99.50', tariff: 't', tariff_name: 'T' };
		const { json } = await runOn({ body }, { resource: 'account', operation: 'getBalance' });
		expect(json).toEqual({ ...body, rub_balance: 99.5 });
	});
});

describe('as an AI tool', () => {
	it.each([
		['call.start', startCall({ waitForResult: true })],
		['call.get', getCall({ waitForResult: true })],
		['call.get, not simplified,', getCall({ waitForResult: true, simplify: false })],
	])('%s neither waits nor shows the code', async (_what, parameters) => {
		const body = { ...CALL, call_status: -1 };
		const { sent, json } = await runOn({ body }, parameters, { nodeType: TOOL });
		expect(sent).toHaveLength(1);
		expect(json).toMatchObject({ vendor_id: CALL.vendor_id });
		expect(json).not.toHaveProperty('code');
	});
});
