import nock from 'nock';

import { parameterRows } from '../contract/coverage';
import { methods, type ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { credential, runNode, SECRET_KEY, SERVICE_ID } from '../../harness/engine/n8nCore';
import { checkCode, checkPhone, getCall, getNumber, startCall } from './parameters';
import { replying, simulate } from './simulatedRun';
import { wire, wireAt } from './wire';

const UNIQUE = '7f1d2c9e-54b1-4c1c-9e0f-2b8f6a1d3c5e';

/**
 * How the fields in the editor become the request of section 4: a row for each method, and for each of its parameters.
 * `answer` has only what the operation cannot do without; `afterA502` says what becomes of a request that may have acted.
 */
const METHODS = [
	{
		method: 'initCall',
		parameters: startCall({
			phone: '+7 (900) 000-00-01',
			options: { code: '0042', client: 'customer 42', unique: UNIQUE },
		}),
		request: { phone: 79000000001, code: '0042', client: 'customer 42', unique: UNIQUE },
		answer: { vendor_id: 1 },
		afterA502: 'is sent again',
	},
	{
		method: 'initCall',
		parameters: startCall({
			phone: '77010000000',
			delivery: 'voice',
			options: { unique: UNIQUE },
		}),
		request: { phone: 77010000000, unique: UNIQUE, voice: true },
		answer: { vendor_id: 1 },
		afterA502: 'is sent again',
	},
	{
		method: 'initCall',
		parameters: startCall({ phone: 79000000001, delivery: 'mix', options: { unique: UNIQUE } }),
		request: { phone: 79000000001, unique: UNIQUE, mix: true },
		answer: { vendor_id: 1 },
		afterA502: 'is sent again',
	},
	{
		method: 'getInfo',
		parameters: getCall({ uid: '1234567' }),
		request: { uid: 1234567 },
		answer: { vendor_id: 1234567 },
		afterA502: 'is sent again',
	},
	{
		method: 'getInfo',
		parameters: checkCode(),
		request: { uid: 1234567 },
		answer: { vendor_id: 1234567, init_time: Math.floor(Date.now() / 1_000), code: '0042' },
		afterA502: 'is sent again',
	},
	{
		method: 'initRepeat',
		parameters: { resource: 'call', operation: 'repeat', uid: 1234567 },
		request: { uid: 1234567 },
		answer: { vendor_id: 1234568 },
		afterA502: 'fails',
	},
	{
		method: 'inboundCallWaiting',
		parameters: getNumber({ callbackUrl: 'https://crm.test/hook?a=1&b=ü#top' }),
		request: { phone: 79000000001, callback_url: 'https://crm.test/hook?a=1&b=ü#top' },
		answer: { vendor_id: 1, confirmation_number: '78000000000' },
		afterA502: 'fails',
	},
	{
		method: 'checkPhone',
		parameters: checkPhone({ phone: ' +7 900 000-00-01 ' }),
		request: { phone: ' +7 900 000-00-01 ' },
		answer: { source: '+7 900 000-00-01' },
		afterA502: 'is sent again',
	},
	{
		method: 'getAccount',
		parameters: { resource: 'account', operation: 'get', simplify: true },
		request: {},
		answer: { id: 1 },
		afterA502: 'is sent again',
	},
	{
		method: 'getService',
		verb: 'GET',
		parameters: { resource: 'service', operation: 'get' },
		request: {},
		answer: { service_status: 1 },
		afterA502: 'is sent again',
	},
	{
		method: 'getBalance',
		parameters: { resource: 'account', operation: 'getBalance' },
		request: {},
		answer: { rub_balance: 10 },
		afterA502: 'is sent again',
	},
];

describe('every method sends exactly the request of the contract', () => {
	it('has a row above', () => {
		const rows = new Set<string>(METHODS.map(({ method }) => method));
		expect(Object.keys(methods).filter((method) => !rows.has(method))).toEqual([]);
	});

	it('is repeated with a key only if it has one', () => {
		const keyed = Object.values<ServiceMethod>(methods).filter(
			({ repeatable }) => repeatable === 'withKey',
		);
		const withUnique = parameterRows.filter(({ parameter }) => parameter === 'unique');
		expect(keyed.map(({ name }) => name)).toEqual(withUnique.map(({ method }) => method));
	});

	it.each(parameterRows)('sends §$row in a row above', ({ method, parameter }) => {
		const requests = METHODS.filter((row) => row.method === method).map(({ request }) => request);
		expect(Object.keys(Object.assign({}, ...requests) as object)).toContain(parameter);
	});

	it.each(METHODS)(
		'$method with the header scheme ($parameters.operation, §1.2, §1.4, §5.header, §7.2)',
		async (row) => {
			const sent = wire({ body: row.answer });
			const { error } = await runNode({ parameters: row.parameters });

			expect(error).toBeUndefined();
			expect(sent).toHaveLength(1);
			expect(sent[0]).toMatchObject({
				path: `/v1.0/${row.method}`,
				verb: row.verb ?? 'POST',
				query: {},
			});
			expect(sent[0]?.headers.authorization).toBe(`Bearer ${SECRET_KEY}.${SERVICE_ID}`);
			if (row.verb === 'GET') {
				expect(sent[0]?.body).toBe('');
			} else {
				expect(sent[0]?.headers['content-type']).toMatch(/^application\/json/);
				expect(sent[0]?.body).toBe(JSON.stringify(row.request));
			}
		},
	);

	it.each(METHODS)(
		'$method without its options sends no empty values ($parameters.operation)',
		async (row) => {
			const sent = wire({ body: row.answer });
			const { error } = await runNode({ parameters: { ...row.parameters, options: {} } });

			expect(error).toBeUndefined();
			const values = Object.values(JSON.parse(sent[0]?.body || '{}') as object);
			expect(values.filter((value) => value === '' || value === null)).toEqual([]);
		},
	);

	it.each(METHODS)(
		'$method rejects a response that lacks a field of its row ($parameters.operation)',
		async (row) => {
			const accepted: string[] = [];
			for (const [name, value] of Object.entries(row.answer)) {
				// No call depends on the account's own ID.
				const isOfCall = /(^|_)id$/.test(name) && row.method !== 'getAccount';
				const unusable = isOfCall ? [null, 2 ** 60] : [null];
				for (const one of unusable) {
					wire({ body: { ...row.answer, [name]: one } });
					const { error } = await runNode({ parameters: row.parameters });
					if (!error) accepted.push(`${name}: ${one} instead of ${value}`);
					nock.cleanAll();
				}
			}
			expect(accepted).toEqual([]);
		},
	);

	it.each(METHODS)('$method $afterA502 after a 502 ($parameters.operation)', async (row) => {
		const replies = [{ statusCode: 502, body: 'Bad Gateway' }, { body: row.answer }];
		const { sent, error } = await simulate({
			service: replying(() => replies.shift() ?? { body: row.answer }),
			parameters: row.parameters,
		});
		expect(error === undefined ? 'is sent again' : 'fails').toBe(row.afterA502);
		expect(sent).toHaveLength(error === undefined ? 2 : 1);
	});

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
			if (row.verb === 'GET') {
				// A GET has no body, and the contract states no POST for getService: the header is used instead.
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
