import { VirtualClock } from '../virtualClock';
import {
	contractClients,
	type Answer,
	type ContractClient,
	type RawRequest,
} from './contractClient';
import type { FaultRule } from '../../emulator/settings';

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

describe('a fault', () => {
	const retryAfter = (value: string) => ({ 'retry-after': value });
	const struck = async (fault: FaultRule): Promise<{ client: ContractClient; answer: Answer }> => {
		const client = await start({ faults: [fault], clock: new VirtualClock(1_700_000_000_000) });
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
		[{ kind: 'tooManyRequests', retryAfterSeconds: 7 }, { headers: retryAfter('7') }, 0],
		[
			{ kind: 'tooManyRequests', retryAfterSeconds: 7, retryAfterAs: 'date' },
			{ headers: retryAfter('Tue, 14 Nov 2023 22:13:27 GMT') },
			0,
		],
	])('%j spoils the answer', async (fault, expected, calls) => {
		const { client, answer } = await struck(fault);
		expect(answer).toMatchObject(expected);
		expect(client.emulator.ledger.calls).toHaveLength(calls);
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

	it('strikes only the method it names, and only as often as set', async () => {
		const client = await start();
		client.emulator.faults.add({ kind: 'errorCode', code: 500, method: 'getBalance', times: 1 });
		expect((await client.post('getAccount')).status).toBe(200);
		expect((await client.post('getBalance')).status).toBe(500);
		expect((await client.post('getBalance')).status).toBe(200);
	});
});
