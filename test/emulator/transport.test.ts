import { contractClients } from './contractClient';

const start = contractClients();
const path = '/v1.0/getBalance';

describe('transport', () => {
	it('refuses a GET request with a body', async () => {
		const client = await start();
		const headers = { authorization: client.bearer, 'content-type': 'application/json' };
		const { json } = await client.raw({ path, headers, body: '{}' });
		expect(json).toMatchObject({ code: 400, error: expect.stringContaining('has no body') });
	});

	it.each(['text/plain', 'application/x-www-form-urlencoded', 'json', 'application/jsonp'])(
		'refuses the content type %s',
		async (contentType) => {
			const client = await start();
			const headers = { authorization: client.bearer, 'content-type': contentType };
			const answer = await client.raw({ verb: 'POST', path, headers, body: '{}' });
			expect(answer).toMatchObject({ status: 415, json: { status: false, code: 415 } });
			expect(client.emulator.ledger.requests).toHaveLength(1);
		},
	);

	it('accepts a charset beside the content type', async () => {
		const client = await start();
		const type = 'application/json; charset=utf-8';
		const headers = { authorization: client.bearer, 'content-type': type };
		const answer = await client.raw({ verb: 'POST', path, headers, body: '{}' });
		expect(answer.status).toBe(200);
	});

	it.each(['{', '[]', '"text"', 'null'])('refuses the body %s', async (body) => {
		const client = await start();
		const headers = { authorization: client.bearer, 'content-type': 'application/json' };
		const { json } = await client.raw({ verb: 'POST', path, headers, body });
		expect(json).toMatchObject({ code: 400, error: expect.stringContaining('JSON') });
	});

	it('refuses POST arguments in the query string', async () => {
		const client = await start();
		const headers = { authorization: client.bearer, 'content-type': 'application/json' };
		const target = '/v1.0/getInfo?uid=1';
		const { json } = await client.raw({ verb: 'POST', path: target, headers, body: '{}' });
		expect(json).toMatchObject({ code: 400, error: expect.stringContaining('JSON body') });
	});

	it('refuses a parameter given twice', async () => {
		const client = await start();
		const headers = { authorization: client.bearer };
		const { json } = await client.raw({ path: '/v1.0/getInfo?uid=1&uid=2', headers });
		expect(json).toMatchObject({ code: 400, error: 'Given more than once: uid' });
	});

	it.each(['/v1.0/sendSms', '/v2.0/getBalance', '/v1.0/getBalance/'])(
		'knows no method at %s',
		async (target) => {
			const client = await start();
			const answer = await client.raw({ path: target, headers: { authorization: client.bearer } });
			expect(answer).toMatchObject({ status: 404, json: { status: false, code: 404 } });
		},
	);

	it.each(['PUT', 'DELETE', 'PATCH'])('refuses the verb %s', async (verb) => {
		const client = await start();
		const answer = await client.raw({ verb, path, headers: { authorization: client.bearer } });
		expect(answer).toMatchObject({ status: 405, json: { status: false, code: 405 } });
	});

	it('enters every request in the ledger with its arguments and outcome', async () => {
		const client = await start();
		await client.post('getInfo', { uid: 5 });
		await client.get('checkPhone', { phone: '+7 916 123-45-67' });
		expect(client.emulator.ledger.requests).toEqual([
			{
				method: 'getInfo',
				verb: 'POST',
				scheme: 'header',
				args: { uid: 5 },
				at: expect.any(Number),
				outcome: { result: 'error', httpStatus: 404, code: 404, message: expect.any(String) },
			},
			{
				method: 'checkPhone',
				verb: 'GET',
				scheme: 'header',
				args: { phone: '+7 916 123-45-67' },
				at: expect.any(Number),
				outcome: { result: 'success', httpStatus: 200 },
			},
		]);
	});
});
