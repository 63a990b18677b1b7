import { contractClients } from './contractClient';

const start = contractClients();
const credentials = { secretKey: 'k-1', serviceId: '77' };
const json = { 'content-type': 'application/json' };

describe('authentication', () => {
	it('accepts key and service_id as query parameters of a GET request', async () => {
		const client = await start(credentials);
		const answer = await client.raw({ path: '/v1.0/getBalance?key=k-1&service_id=77' });
		expect(answer).toMatchObject({ status: 200, json: { status: true } });
		expect(client.emulator.ledger.requests[0]).toMatchObject({ scheme: 'query', args: {} });
	});

	it.each(['77', 77])('accepts key and service_id %j in the body of a POST request', async (id) => {
		const client = await start(credentials);
		const body = JSON.stringify({ key: 'k-1', service_id: id });
		const answer = await client.raw({
			verb: 'POST',
			path: '/v1.0/getBalance',
			headers: json,
			body,
		});
		expect(answer).toMatchObject({ status: 200, json: { status: true } });
		expect(client.emulator.ledger.requests[0]).toMatchObject({ scheme: 'json', args: {} });
	});

	it('accepts the Bearer header on GET and on POST', async () => {
		const client = await start(credentials);
		const headers = { authorization: 'Bearer k-1.77' };
		for (const verb of ['GET', 'POST']) {
			const answer = await client.raw({ verb, path: '/v1.0/getBalance', headers });
			expect(answer).toMatchObject({ status: 200, json: { status: true } });
		}
		expect(client.emulator.ledger.requests[0]?.scheme).toBe('header');
	});

	it.each([
		['no credentials', '/v1.0/getBalance', {}],
		['a wrong key', '/v1.0/getBalance?key=k-2&service_id=77', {}],
		['a wrong service', '/v1.0/getBalance?key=k-1&service_id=78', {}],
		['a key without its service', '/v1.0/getBalance?key=k-1', {}],
		['a header without the dot', '/v1.0/getBalance', { authorization: 'Bearer k-177' }],
		['a header of another kind', '/v1.0/getBalance', { authorization: 'Basic k-1.77' }],
	])('refuses %s with code 401 and asks for the correct scheme', async (_, path, headers) => {
		const client = await start(credentials);
		const answer = await client.raw({ path, headers });
		expect(answer.status).toBe(401);
		expect(answer.json).toEqual({
			status: false,
			error: expect.stringMatching(/authentication failed.*correct authentication scheme/i),
			code: 401,
		});
	});

	it('refuses the query scheme on POST', async () => {
		const client = await start(credentials);
		const path = '/v1.0/getBalance?key=k-1&service_id=77';
		const answer = await client.raw({ verb: 'POST', path, headers: json, body: '{}' });
		expect(answer.json).toMatchObject({ code: 401, error: expect.stringContaining('GET') });
	});

	it('refuses the body scheme on GET', async () => {
		const client = await start(credentials);
		const body = '{"key":"k-1","service_id":"77"}';
		const answer = await client.raw({ path: '/v1.0/getBalance', headers: json, body });
		expect(answer.json).toMatchObject({ code: 401, error: expect.stringContaining('POST') });
	});

	it('refuses two schemes in one request', async () => {
		const client = await start(credentials);
		const answer = await client.raw({
			path: '/v1.0/getBalance?key=k-1&service_id=77',
			headers: { authorization: 'Bearer k-1.77' },
		});
		expect(answer.json).toMatchObject({
			status: false,
			code: 400,
			error: expect.stringContaining('query, header'),
		});
		expect(client.emulator.ledger.requests[0]?.scheme).toBe('several');
	});

	it('sends errors with HTTP status 200 when the service is set that way', async () => {
		const client = await start({ ...credentials, errorStatus: '200' });
		const answer = await client.raw({ path: '/v1.0/getBalance' });
		expect(answer).toMatchObject({ status: 200, json: { status: false, code: 401 } });
	});

	it('answers authenticated requests to the root path with JSON', async () => {
		const client = await start(credentials);
		const headers = { authorization: 'Bearer k-1.77', accept: 'text/html' };
		expect(await client.raw({ path: '/', headers })).toMatchObject({ json: { status: true } });
		expect(await client.raw({ path: '/' })).toMatchObject({ json: { code: 401 } });
	});
});
