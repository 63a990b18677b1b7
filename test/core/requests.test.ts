import {
	BASE_URL,
	credential,
	runNode,
	SECRET_KEY,
	SERVICE_ID,
} from '../../harness/engine/n8nCore';
import { wire, wireAt } from './wire';

const UNIQUE = '7f1d2c9e-54b1-4c1c-9e0f-2b8f6a1d3c5e';

/** One row per method: how the editor's fields become the request of section 4. */
const METHODS = [
	{
		method: 'initCall',
		parameters: {
			resource: 'call',
			operation: 'start',
			phone: '+7 (900) 000-00-01',
			delivery: 'callerNumber',
			waitForResult: false,
			options: { code: '0042', client: 'customer 42', unique: UNIQUE },
		},
		request: { phone: 79000000001, code: '0042', client: 'customer 42', unique: UNIQUE },
		answer: { status: true, vendor_id: 1 },
	},
	{
		method: 'initCall',
		parameters: {
			resource: 'call',
			operation: 'start',
			phone: '77010000000',
			delivery: 'voice',
			waitForResult: false,
			options: { unique: UNIQUE },
		},
		request: { phone: 77010000000, unique: UNIQUE, voice: true },
		answer: { status: true, vendor_id: 1 },
	},
	{
		method: 'initCall',
		parameters: {
			resource: 'call',
			operation: 'start',
			phone: 79000000001,
			delivery: 'mix',
			waitForResult: false,
			options: { unique: UNIQUE },
		},
		request: { phone: 79000000001, unique: UNIQUE, mix: true },
		answer: { status: true, vendor_id: 1 },
	},
	{
		method: 'getInfo',
		parameters: {
			resource: 'call',
			operation: 'get',
			uid: '1234567',
			waitForResult: false,
			simplify: true,
			options: {},
		},
		request: { uid: 1234567 },
		answer: { status: true, vendor_id: 1234567, call_status: 1 },
	},
	{
		method: 'getInfo',
		parameters: { resource: 'call', operation: 'checkCode', uid: 1234567, code: '0042' },
		request: { uid: 1234567 },
		answer: {
			status: true,
			vendor_id: 1234567,
			init_time: Math.floor(Date.now() / 1_000),
			call_status: 1,
			code: '0042',
		},
	},
	{
		method: 'initRepeat',
		parameters: { resource: 'call', operation: 'repeat', uid: 1234567 },
		request: { uid: 1234567 },
		answer: { status: true, vendor_id: 1234568 },
	},
	{
		method: 'inboundCallWaiting',
		parameters: {
			resource: 'inboundCall',
			operation: 'start',
			phone: '79000000001',
			callbackTarget: 'url',
			callbackUrl: 'https://crm.test/hook?a=1&b=ü#top',
		},
		request: { phone: 79000000001, callback_url: 'https://crm.test/hook?a=1&b=ü#top' },
		answer: { status: true, vendor_id: 1, confirmation_number: '78000000000' },
	},
	{
		method: 'checkPhone',
		parameters: {
			resource: 'phoneNumber',
			operation: 'check',
			phone: ' +7 900 000-00-01 ',
			simplify: true,
		},
		request: { phone: ' +7 900 000-00-01 ' },
		answer: { source: '+7 900 000-00-01' },
	},
	{
		method: 'getAccount',
		parameters: { resource: 'account', operation: 'get', simplify: true },
		request: {},
		answer: { id: 1 },
	},
	{
		method: 'getService',
		parameters: { resource: 'service', operation: 'get' },
		request: {},
		answer: { status: true, service_status: 1 },
	},
	{
		method: 'getBalance',
		parameters: { resource: 'account', operation: 'getBalance' },
		request: {},
		answer: { status: true, rub_balance: 10 },
	},
];

describe('every method sends exactly the request of the contract', () => {
	it.each(METHODS)(
		'$method with the header scheme ($parameters.operation, §1.2, §1.4, §5.header, §7.2)',
		async (row) => {
			const sent = wire({ body: row.answer });
			const { error } = await runNode({ parameters: row.parameters });

			expect(error).toBeUndefined();
			expect(sent).toHaveLength(1);
			expect(sent[0]).toMatchObject({
				path: `/v1.0/${row.method}`,
				verb: row.method === 'getService' ? 'GET' : 'POST',
				query: {},
			});
			expect(sent[0]?.headers.authorization).toBe(`Bearer ${SECRET_KEY}.${SERVICE_ID}`);
			if (row.method === 'getService') {
				expect(sent[0]?.body).toBe('');
			} else {
				expect(sent[0]?.headers['content-type']).toMatch(/^application\/json/);
				expect(sent[0]?.body).toBe(JSON.stringify(row.request));
			}
		},
	);

	it.each(METHODS)(
		'$method with the body scheme ($parameters.operation, §5.json, §5.2)',
		async (row) => {
			const sent = wire({ body: row.answer });
			const { error } = await runNode({
				parameters: row.parameters,
				credential: credential({ authScheme: 'body' }),
			});

			expect(error).toBeUndefined();
			expect(sent).toHaveLength(1);
			if (row.method === 'getService') {
				// A GET carries no body, and POST is not stated for getService: the header takes over.
				expect(sent[0]).toMatchObject({ verb: 'GET', query: {}, body: '' });
				expect(sent[0]?.headers.authorization).toBe(`Bearer ${SECRET_KEY}.${SERVICE_ID}`);
				return;
			}
			expect(sent[0]).toMatchObject({ path: `/v1.0/${row.method}`, verb: 'POST', query: {} });
			expect(sent[0]?.headers['content-type']).toMatch(/^application\/json/);
			expect(sent[0]?.headers.authorization).toBeUndefined();
			expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
				...row.request,
				key: SECRET_KEY,
				service_id: SERVICE_ID,
			});
		},
	);

	it.each(METHODS)(
		'$method with the query scheme ($parameters.operation, §1.2, §5.query)',
		async (row) => {
			const sent = wire({ body: row.answer });
			const { error } = await runNode({
				parameters: row.parameters,
				credential: credential({ authScheme: 'query' }),
			});

			expect(error).toBeUndefined();
			expect(sent).toHaveLength(1);
			expect(sent[0]).toMatchObject({ path: `/v1.0/${row.method}`, verb: 'GET', body: '' });
			expect(sent[0]?.headers.authorization).toBeUndefined();
			expect(sent[0]?.query).toEqual({
				...Object.fromEntries(
					Object.entries(row.request).map(([name, value]) => [name, String(value)]),
				),
				key: SECRET_KEY,
				service_id: SERVICE_ID,
			});
		},
	);
});

describe('the address', () => {
	const getBalance = { resource: 'account', operation: 'getBalance' };
	const answer = { body: { status: true, rub_balance: 10 } };

	it.each([
		`${BASE_URL}/`,
		`${BASE_URL}///`,
		`${BASE_URL}/v1.0`,
		`${BASE_URL}/v1.0/`,
		` ${BASE_URL} `,
	])('tolerates a base URL written as "%s"', async (baseUrl) => {
		const sent = wire(answer);
		await runNode({ parameters: getBalance, credential: credential({ baseUrl }) });
		expect(sent.map(({ path }) => path)).toEqual(['/v1.0/getBalance']);
	});

	it('keeps a path in front of the version', async () => {
		const sent = wire(answer);
		const baseUrl = `${BASE_URL}/phone/api/`;
		await runNode({ parameters: getBalance, credential: credential({ baseUrl }) });
		expect(sent.map(({ path }) => path)).toEqual(['/phone/api/v1.0/getBalance']);
	});

	it('is the alternate one in the mode "alternate"', async () => {
		const primary = wire(answer);
		const alternate = wireAt('http://alt.test', answer);
		await runNode({
			parameters: getBalance,
			credential: credential({ addressMode: 'alternate', alternateBaseUrl: 'http://alt.test/' }),
		});
		expect(primary).toHaveLength(0);
		expect(alternate).toHaveLength(1);
	});

	it('is the alternate one in the mode "fallback" once the first cannot be reached', async () => {
		const alternate = wireAt('http://alt.test', answer);
		const { success } = await runNode({
			parameters: getBalance,
			items: [{}, {}],
			credential: credential({
				// A real refusal: nothing listens there.
				baseUrl: 'http://127.0.0.1:1',
				addressMode: 'fallback',
				alternateBaseUrl: 'http://alt.test',
			}),
		});
		expect(success.map(({ json }) => json.rub_balance)).toEqual([10, 10]);
		expect(alternate).toHaveLength(2);
	});

	it('is refused before anything is sent when it is none', async () => {
		const sent = wire(answer);
		const { error } = await runNode({
			parameters: getBalance,
			credential: credential({ baseUrl: 'service.test' }),
		});
		expect(error?.message).toBe('“Base URL” in the credential is not a complete URL');
		expect(sent).toHaveLength(0);
	});
});

describe('a redirect', () => {
	it('never carries the key to another host', async () => {
		const elsewhere = wireAt('https://elsewhere.test', { body: { status: true } });
		wire({
			status: 302,
			body: '',
			headers: { location: `https://elsewhere.test/x?key=${SECRET_KEY}` },
		});
		const { error } = await runNode({
			parameters: { resource: 'account', operation: 'getBalance' },
		});

		expect(elsewhere).toHaveLength(0);
		expect(error?.message).toBe(
			'The address of the verification service redirects to https://elsewhere.test',
		);
		expect(error?.description).toContain('Base URL');
	});
});

describe('an authentication failure', () => {
	it.each([200, 401])('is sent once, not twice, with HTTP status %i', async (status) => {
		const sent = wire({ status, body: { status: false, error: 'Bad key', code: 401 } });
		await runNode({ parameters: { resource: 'account', operation: 'getBalance' } });
		expect(sent).toHaveLength(1);
	});
});
