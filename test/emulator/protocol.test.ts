import {
	contractClients,
	type Answer,
	type ContractClient,
	type RawRequest,
} from './contractClient';
import type { FaultRule } from '../../emulator/fault';
import { ManualClock } from './manualClock';

const start = contractClients();
const CREDENTIALS = { secretKey: 'k-1', serviceId: '77' };
const PATH = '/v1.0/getBalance';
const UNIQUE = '3f0c1d52-6a0b-4c8e-9d57-0b1c2d3e4f50';
const json = { 'content-type': 'application/json' };
const bearer = { authorization: 'Bearer k-1.77' };
const post = (headers: Record<string, string>, body = '{}', path = PATH) => ({
	verb: 'POST',
	path,
	headers,
	body,
});

type Refused = [what: string, code: number, request: RawRequest];

describe('a request that is refused', () => {
	it.each<Refused>([
		['no credentials', 401, { path: PATH }],
		['a wrong key', 401, { path: `${PATH}?key=k-2&service_id=77` }],
		['a wrong service', 401, { path: `${PATH}?key=k-1&service_id=78` }],
		['a key without its service', 401, { path: `${PATH}?key=k-1` }],
		['a header without the dot', 401, { path: PATH, headers: { authorization: 'Bearer k-177' } }],
		['a header of another kind', 401, { path: PATH, headers: { authorization: 'Basic k-1.77' } }],
		['the query scheme on POST', 401, post(json, '{}', `${PATH}?key=k-1&service_id=77`)],
		[
			'the body scheme on GET',
			401,
			{ path: PATH, headers: json, body: '{"key":"k-1","service_id":"77"}' },
		],
		['two schemes', 400, { path: `${PATH}?key=k-1&service_id=77`, headers: bearer }],
		['a GET with a body', 400, { path: PATH, headers: { ...bearer, ...json }, body: '{}' }],
		...['text/plain', 'application/x-www-form-urlencoded', 'json', 'application/jsonp'].map(
			(type): Refused => [type, 415, post({ ...bearer, 'content-type': type })],
		),
		...['{', '[]', '"text"', 'null'].map(
			(body): Refused => [`the body ${body}`, 400, post({ ...bearer, ...json }, body)],
		),
		['arguments beside the body', 400, post({ ...bearer, ...json }, '{}', '/v1.0/getInfo?uid=1')],
		['a parameter twice', 400, { path: '/v1.0/getInfo?uid=1&uid=2', headers: bearer }],
		['an unknown parameter', 400, { path: `${PATH}?currency=rub`, headers: bearer }],
		...['/v1.0/sendSms', '/v2.0/getBalance', '/v1.0/getBalance/'].map(
			(path): Refused => [path, 404, { path, headers: bearer }],
		),
		...['PUT', 'DELETE', 'PATCH'].map(
			(verb): Refused => [verb, 405, { verb, path: PATH, headers: bearer }],
		),
		['POST to getService', 405, post({ ...bearer, ...json }, '{}', '/v1.0/getService')],
	])('has %s: code %i', async (_what, code, request) => {
		const client = await start(CREDENTIALS);
		const answer = await client.raw(request);
		expect(answer.status).toBe(code);
		expect(answer.json).toEqual({ status: false, error: expect.any(String), code });
	});
});

it('a request that is accepted may name a charset, and is in the ledger', async () => {
	const client = await start(CREDENTIALS);
	const type = { 'content-type': 'application/json; charset=utf-8' };
	expect((await client.raw(post({ ...bearer, ...type }))).status).toBe(200);
	await client.post('getInfo', { uid: 5 });
	expect(client.emulator.ledger.requests).toMatchObject([
		{ method: 'getBalance', verb: 'POST', scheme: 'header', outcome: { result: 'success' } },
		{ method: 'getInfo', args: { uid: 5 }, outcome: { result: 'error', code: 404 } },
	]);
});

describe('a fault', () => {
	const struck = async (fault: FaultRule): Promise<{ client: ContractClient; answer: Answer }> => {
		const client = await start({ faults: [fault], clock: new ManualClock(1_700_000_000_000) });
		return { client, answer: await client.post('initCall', { phone: 79161234567 }) };
	};

	it.each<[FaultRule, Partial<Answer>, number]>([
		[
			{ kind: 'errorCode', code: 503, message: 'Later' },
			{ status: 503, json: { status: false, error: 'Later', code: 503 } },
			0,
		],
		[{ kind: 'errorCode', code: 7 }, { status: 200 }, 0],
		[{ kind: 'httpStatus', status: 500 }, { status: 500 }, 0],
		[{ kind: 'halfJson' }, { json: {}, text: expect.stringMatching(/^\{"status":true/) }, 1],
		[{ kind: 'html', processed: false }, { status: 502 }, 0],
		[
			{ kind: 'html', processed: true },
			{ status: 502, text: expect.stringContaining('<html>') },
			1,
		],
		[{ kind: 'empty' }, { status: 200, text: '' }, 0],
		[{ kind: 'tooManyRequests' }, { status: 429 }, 0],
	])('%j spoils the answer', async (fault, expected, calls) => {
		const { client, answer } = await struck(fault);
		expect(answer).toMatchObject(expected);
		expect(client.emulator.ledger.calls).toHaveLength(calls);
	});

	it.each([
		['nothing', {}, undefined],
		['seconds', { retryAfterSeconds: 7 }, '7'],
		['a date', { retryAfterSeconds: 7, retryAfterAs: 'date' }, 'Tue, 14 Nov 2023 22:13:27 GMT'],
	] as const)('of 429 has %s in Retry-After', async (_, form, header) => {
		const { answer } = await struck({ kind: 'tooManyRequests', ...form });
		expect(answer.headers['retry-after']).toBe(header);
	});

	it('resets the connection before the work, or after a call was made and charged', async () => {
		const client = await start({ startingBalance: 10 });
		const args = { phone: 79161234567, unique: UNIQUE };
		client.emulator.faults.add({ kind: 'resetBeforeProcessing', times: 1 });
		await expect(client.post('initCall', args)).rejects.toThrow();
		expect(client.emulator.ledger.calls).toHaveLength(0);
		client.emulator.faults.add({ kind: 'resetAfterProcessing', times: 1 });
		await expect(client.post('initCall', args)).rejects.toThrow();
		expect(client.emulator.ledger.requests.map(({ outcome }) => outcome)).toMatchObject([
			{ processed: false },
			{ processed: true },
		]);
		expect(client.emulator.ledger.balance).toBe(9.6);
		expect((await client.post('initCall', args)).json).toMatchObject({ exists: true });
		expect(client.emulator.ledger.calls).toHaveLength(1);
	});

	it('delays the answer, on top of the latency', async () => {
		const clock = new ManualClock();
		const client = await start({ clock, latencyMs: 50, faults: [{ kind: 'delay', ms: 100 }] });
		const pending = client.post('getBalance');
		await clock.whenAsleep(1);
		clock.advance(149);
		expect(client.emulator.ledger.requests[0]?.outcome).toEqual({ result: 'pending' });
		clock.advance(1);
		expect((await pending).json.status).toBe(true);
	});

	it('strikes only the method it names, and only as often as set', async () => {
		const client = await start();
		client.emulator.faults.add({ kind: 'errorCode', code: 500, method: 'getBalance', times: 2 });
		expect((await client.post('getAccount')).status).toBe(200);
		const statuses: number[] = [];
		for (let turn = 0; turn < 3; turn++) statuses.push((await client.post('getBalance')).status);
		expect(statuses).toEqual([500, 500, 200]);
		expect(client.emulator.faults.list()).toEqual([]);
	});

	it('strikes at random, but in the same way for the same seed', async () => {
		const runs: number[][] = [];
		for (const seed of [3, 3, 4]) {
			const faults: FaultRule[] = [{ kind: 'httpStatus', status: 500, probability: 0.5 }];
			const client = await start({ seed, faults });
			const statuses: number[] = [];
			for (let turn = 0; turn < 20; turn++) statuses.push((await client.get('getBalance')).status);
			runs.push(statuses);
		}
		expect(new Set(runs[0])).toEqual(new Set([200, 500]));
		expect(runs[1]).toEqual(runs[0]);
		expect(runs[2]).not.toEqual(runs[0]);
	});
});

describe('traffic', () => {
	it('answers 429 above its requests per second, whatever status errors have', async () => {
		const clock = new ManualClock();
		const client = await start({
			clock,
			requestsPerSecondLimit: 2,
			retryAfterSeconds: 1,
			errorStatus: '200',
		});
		await client.get('getBalance');
		await client.get('getBalance');
		const refused = await client.get('getBalance');
		expect(refused).toMatchObject({ status: 429, json: { status: false, code: 429 } });
		expect(refused.headers['retry-after']).toBe('1');
		clock.advance(1000);
		expect((await client.get('getBalance')).status).toBe(200);
	});

	it('answers 503 above its concurrent requests', async () => {
		const clock = new ManualClock();
		const client = await start({ clock, latencyMs: 10, maxConcurrent: 1 });
		const first = client.get('getBalance');
		await clock.whenAsleep(1);
		expect((await client.get('getBalance')).status).toBe(503);
		clock.advance(10);
		expect((await first).status).toBe(200);
		expect(client.emulator.ledger).toMatchObject({ inFlight: 0, peakInFlight: 2 });
	});
});

describe('account, service and balance', () => {
	it('returns the account without a status field and with its last 50 actions (§8.getAccount.logs)', async () => {
		const client = await start();
		const { json } = await client.post('getAccount');
		expect(json).not.toHaveProperty('status');
		expect(json).toMatchObject({ id: expect.any(Number), two_auth: true });
		expect(json.logs).toHaveLength(50);
	});

	it('returns the balance after the charges so far, and the tariff', async () => {
		const client = await start({ startingBalance: 10 });
		await client.post('initCall', { phone: 79161234567 });
		for (const answer of [await client.get('getBalance'), await client.post('getBalance')]) {
			expect(answer.json).toEqual({
				status: true,
				rub_balance: 9.6,
				tariff: expect.any(String),
				tariff_name: expect.any(String),
			});
		}
	});
});

function page(client: ContractClient): Promise<Answer> {
	return client.raw({ path: '/', headers: { accept: 'text/html,*/*;q=0.8' } });
}

function control(client: ContractClient, path: string, body: unknown): Promise<Answer> {
	const headers = { 'content-type': 'application/json' };
	return client.raw({ verb: 'POST', path, headers, body: JSON.stringify(body) });
}

describe('control endpoints', () => {
	it('arm one fault or a list of them, and clear them all', async () => {
		const client = await start();
		await control(client, '/_control/faults', { kind: 'httpStatus', status: 500, times: 1 });
		expect((await client.get('getBalance')).status).toBe(500);
		await control(client, '/_control/faults', {
			faults: [{ kind: 'tooManyRequests', retryAfterSeconds: 2 }, { kind: 'halfJson' }],
		});
		expect(client.emulator.faults.list()).toHaveLength(2);
		expect((await client.get('getBalance')).headers['retry-after']).toBe('2');
		await client.raw({ verb: 'DELETE', path: '/_control/faults' });
		expect((await client.get('getBalance')).status).toBe(200);
	});
});

describe('control page', () => {
	it('lists awaited callers with a call button, the calls made and the balance', async () => {
		const client = await start({ startingBalance: 12 });
		const args = { phone: 79161234567, callback_url: 'http://receiver.test/hook' };
		const { json } = await client.post('inboundCallWaiting', args);
		await client.post('initCall', { phone: 79000000001, code: '4711' });
		const answer = await page(client);
		expect(answer.headers['content-type']).toContain('text/html');
		expect(answer.text).toContain(`{&quot;vendor_id&quot;:${String(json.vendor_id)}}`);
		expect(answer.text).toContain('Call now');
		expect(answer.text).toContain('4711');
		expect(answer.text).toContain('<strong>12</strong>');
		expect(client.emulator.ledger.requests).toHaveLength(2);
	});

	it('escapes everything that came with a request', async () => {
		const client = await start();
		await client.get('checkPhone', { phone: '<script>alert("1")</script>' });
		const { text } = await page(client);
		expect(text).not.toContain('<script>alert');
		expect(text).toContain('&lt;script&gt;alert(');
	});
});
