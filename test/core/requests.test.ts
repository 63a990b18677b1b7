import { parameterRows } from '../contract/coverage';
import { methods, type ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { credential, runNode, SECRET_KEY, SERVICE_ID } from '../../harness/engine/n8nCore';
import { checkCode, checkPhone, getCall, getNumber, startCall } from './parameters';
import { replying, simulate } from './simulatedRun';
import { runOn, wire, wireAt } from './wire';

const UNIQUE = '7f1d2c9e-54b1-4c1c-9e0f-2b8f6a1d3c5e';
const BALANCE = { resource: 'account', operation: 'getBalance' };

/**
 * How the fields in the editor become the request of section 4: a row for each method, and for each of its parameters.
 * `answer` has only what the operation cannot do without; `afterA502` says what becomes of a request that may have
 * acted, if it is not sent again.
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
	},
	{
		method: 'initCall',
		parameters: startCall({ phone: 79000000001, delivery: 'mix', options: { unique: UNIQUE } }),
		request: { phone: 79000000001, unique: UNIQUE, mix: true },
		answer: { vendor_id: 1 },
	},
	{
		method: 'getInfo',
		parameters: getCall({ uid: '1234567' }),
		request: { uid: 1234567 },
		answer: { vendor_id: 1234567 },
	},
	{
		method: 'getInfo',
		parameters: checkCode(),
		request: { uid: 1234567 },
		answer: { vendor_id: 1234567, init_time: Math.floor(Date.now() / 1_000), code: '0042' },
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
	},
	{
		method: 'getAccount',
		parameters: { resource: 'account', operation: 'get', simplify: true },
		answer: { id: 1 },
	},
	{
		method: 'getService',
		verb: 'GET',
		parameters: { resource: 'service', operation: 'get' },
		answer: { service_status: 1 },
	},
	{
		method: 'getBalance',
		parameters: BALANCE,
		answer: { rub_balance: 10 },
	},
].map((row) => ({ verb: 'POST', request: {}, afterA502: 'is sent again', ...row }));
const IN_SCHEMES = [
	['header', '§1.2, §1.4, §5.header, §7.2'],
	['body', '§5.json, §5.2'],
	['query', '§1.2, §5.query'],
].flatMap(([scheme, rows]) => METHODS.map((method) => ({ ...method, scheme, rows })));

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

	it.each(IN_SCHEMES)(
		'$method with the $scheme scheme ($parameters.operation, $rows)',
		async ({ method, parameters, request, answer, verb, scheme }) => {
			const authScheme = credential({ authScheme: scheme });
			const { sent, error } = await runOn({ body: answer }, parameters, { credential: authScheme });
			const [one, ...more] = sent;
			expect([error, more]).toEqual([undefined, []]);

			const isPost = verb === 'POST' && scheme !== 'query';
			// A GET has no body, and the contract states no POST for getService: the header is used instead.
			const isInHeader = scheme === 'header' || (scheme === 'body' && !isPost);
			const whole = { ...request, ...(!isInHeader && { key: SECRET_KEY, service_id: SERVICE_ID }) };
			const texts = Object.entries(whole).map(([name, value]) => [name, String(value)]);
			expect(one).toMatchObject({ path: `/v1.0/${method}`, verb: isPost ? 'POST' : 'GET' });
			expect(one?.headers.authorization).toBe(
				isInHeader ? `Bearer ${SECRET_KEY}.${SERVICE_ID}` : undefined,
			);
			expect(one?.query).toEqual(scheme === 'query' ? Object.fromEntries(texts) : {});
			expect(one?.body).toBe(isPost ? JSON.stringify(whole) : '');
			if (isPost) expect(one?.headers['content-type']).toMatch(/^application\/json/);
		},
	);

	it.each(METHODS)(
		'$method without its options sends no empty values ($parameters.operation)',
		async ({ answer, parameters }) => {
			const { sent, error } = await runOn({ body: answer }, { ...parameters, options: {} });
			expect(error).toBeUndefined();
			const values = Object.values(sent[0]?.fields ?? {});
			expect(values.filter((value) => value === '' || value === null)).toEqual([]);
		},
	);

	it.each(METHODS)(
		'$method rejects a response that lacks a field of its row ($parameters.operation)',
		async ({ method, answer, parameters }) => {
			const accepted: string[] = [];
			for (const [name, value] of Object.entries(answer)) {
				// No call depends on the account's own ID.
				const isOfCall = /(^|_)id$/.test(name) && method !== 'getAccount';
				for (const unusable of isOfCall ? [null, 2 ** 60] : [null]) {
					const { error } = await runOn({ body: { ...answer, [name]: unusable } }, parameters);
					if (!error) accepted.push(`${name}: ${unusable} instead of ${value}`);
				}
			}
			expect(accepted).toEqual([]);
		},
	);

	it.each(METHODS)('$method $afterA502 after a 502 ($parameters.operation)', async (row) => {
		const replies = [{ status: 502, body: 'Bad Gateway' }, { body: row.answer }];
		const { sent, error } = await simulate({
			service: replying(() => replies.shift() ?? { body: row.answer }),
			parameters: row.parameters,
		});
		expect(error === undefined ? 'is sent again' : 'fails').toBe(row.afterA502);
		expect(sent).toHaveLength(error === undefined ? 2 : 1);
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
		const { error } = await runNode({ parameters: BALANCE });

		expect(elsewhere).toHaveLength(0);
		expect(error?.message).toBe(
			'The address of the verification service redirects to https://elsewhere.test',
		);
		expect(error?.description).toContain('base URL');
	});
});

describe('an authentication failure', () => {
	it.each([200, 401])('is sent once, not twice, with HTTP status %i', async (status) => {
		const refused = { status, body: { status: false, error: 'Bad key', code: 401 } };
		expect((await runOn(refused, BALANCE)).sent).toHaveLength(1);
	});
});
