import { contractClients } from './contractClient';

const start = contractClients();
const PHONE = 79161234567;
const UNIQUE = '3f0c1d52-6a0b-4c8e-9d57-0b1c2d3e4f50';

describe('initCall', () => {
	it('starts a call and answers with the masked phone and the code as a string', async () => {
		const client = await start();
		const answer = await client.post('initCall', { phone: PHONE, code: '0042', client: 'anna' });
		expect(answer.status).toBe(200);
		expect(answer.json).toEqual({
			status: true,
			vendor_id: expect.any(Number),
			phone: '7916*****67',
			code: '0042',
			client: 'anna',
		});
		expect(client.emulator.ledger.calls).toHaveLength(1);
	});

	it('repeats its first result for a known key, without a new call or charge', async () => {
		const client = await start({ startingBalance: 10 });
		const first = await client.post('initCall', { phone: PHONE, unique: UNIQUE });
		const balance = client.emulator.ledger.balance;
		const second = await client.post('initCall', { phone: PHONE, unique: UNIQUE });
		expect(first.json).toMatchObject({ unique_request_id: UNIQUE, exists: false });
		expect(second.json).toEqual({ ...first.json, exists: true });
		expect(client.emulator.ledger.calls).toHaveLength(1);
		expect(client.emulator.ledger.balance).toBe(balance);
		expect(balance).toBeLessThan(10);
	});

	it('charges a call, a voice call and a mixed call at their own prices', async () => {
		const prices = { call: 0.1, voice: 0.2, mix: 0.7, check: 0, invalidCheck: 0, inbound: 0 };
		const client = await start({ startingBalance: 1, prices });
		await client.post('initCall', { phone: PHONE });
		expect(client.emulator.ledger.balance).toBe(0.9);
		await client.post('initCall', { phone: PHONE, voice: true });
		expect(client.emulator.ledger.balance).toBe(0.7);
		await client.post('initCall', { phone: PHONE, mix: true });
		expect(client.emulator.ledger.balance).toBe(0);
	});

	it('makes no call when the balance does not cover it', async () => {
		const client = await start({ startingBalance: 0.01 });
		const answer = await client.post('initCall', { phone: PHONE });
		expect(answer.json).toMatchObject({ status: false, code: 402 });
		expect(client.emulator.ledger.calls).toHaveLength(0);
	});

	it.each([79000000001, 79000000002])('does not bill the test number %d', async (phone) => {
		const client = await start({ startingBalance: 0 });
		expect((await client.post('initCall', { phone })).json.status).toBe(true);
		expect(client.emulator.ledger.calls[0]).toMatchObject({ test: true, cost: 0 });
	});

	it.each([
		['phone as a JSON string', { phone: '79161234567' }, /phone must be a JSON number/],
		['no phone', {}, /phone is required/],
		['a phone too short for E.164', { phone: 7916 }, /phone must be an E\.164 number/],
		['a fraction as phone', { phone: 7916123456.5 }, /phone must be a whole number/],
		['null as phone', { phone: null }, /phone must be a JSON number, not null/],
		['a code of 3 digits', { phone: PHONE, code: '123' }, /code must be exactly 4 digits/],
		['a number that lost its zeros', { phone: PHONE, code: 42 }, /code must be exactly 4 digits/],
		['the code 0000', { phone: PHONE, code: '0000' }, /from 0001 to 9999/],
		['a boolean code', { phone: PHONE, code: true }, /code must be a number or a string/],
		['65 characters of client', { phone: PHONE, client: 'x'.repeat(65) }, /client .* 64/],
		['a numeric client', { phone: PHONE, client: 5 }, /client must be a string/],
		['65 characters of unique', { phone: PHONE, unique: 'x'.repeat(65) }, /unique .* 64/],
		[
			'a UUID v1 as unique',
			{ phone: PHONE, unique: '3f0c1d52-6a0b-1c8e-9d57-0b1c2d3e4f50' },
			/unique must be a UUID v4/,
		],
		['voice as text', { phone: PHONE, voice: 'true' }, /voice must be a boolean/],
		['mix as a number', { phone: PHONE, mix: 1 }, /mix must be a boolean/],
		['voice in Germany', { phone: 4915112345678, voice: true }, /voice is available for/],
		['mix in Kazakhstan', { phone: 77011234567, mix: true }, /mix is available for Russia only/],
		['a parameter nobody knows', { phone: PHONE, lang: 'en' }, /Unknown parameter: lang/],
	])('refuses %s and says why', async (_, args, message) => {
		const client = await start();
		const answer = await client.post('initCall', args);
		expect(answer).toMatchObject({ status: 400, json: { status: false, code: 400 } });
		expect(answer.json.error).toMatch(message);
		expect(client.emulator.ledger.calls).toHaveLength(0);
	});
});
