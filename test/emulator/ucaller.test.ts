import { VirtualClock } from '../virtualClock';
import type { EmulatorSettings } from '../../emulator/settings';
import { contractClients, type ContractClient } from './contractClient';
import { startWebhookReceiver } from './webhookReceiver';

/** What is publicly known about the service with this interface, where it says otherwise or more than the contract. */

const startAny = contractClients();
const PHONE = 79161234567;
const UNREACHABLE = 79000000002;
const UNIQUE = '3f0c1d52-6a0b-4c8e-9d57-0b1c2d3e4f50';
const HOUR = 3_600_000;

async function start(settings: Partial<EmulatorSettings> = {}) {
	const clock = new VirtualClock(Date.UTC(2026, 8, 1));
	const client = await startAny({ as: 'ucaller', clock, ...settings });
	return { client, clock };
}

async function callTo(client: ContractClient, args: object = {}) {
	return (await client.post('initCall', { phone: PHONE, ...args })).json;
}

describe('the names', () => {
	it('are ucaller_id in every response', async () => {
		const { client } = await start();
		const call = await callTo(client);
		const info = await client.post('getInfo', { uid: call.ucaller_id });
		const waiting = { phone: PHONE, callback_url: 'http://receiver.test' };
		const inbound = await client.post('inboundCallWaiting', waiting);
		for (const record of [call, info.json, inbound.json]) {
			expect(record).toMatchObject({ status: true, ucaller_id: expect.any(Number) });
			expect(record).not.toHaveProperty('vendor_id');
		}
	});
});

describe('initCall', () => {
	it('says status false, without an error but with the whole record, if nobody can be reached', async () => {
		const { client } = await start({ callResultAfterMs: 60_000 });
		const answer = await client.post('initCall', { phone: UNREACHABLE, code: '0042' });
		expect(answer.status).toBe(200);
		expect(answer.json).toEqual({
			status: false,
			ucaller_id: expect.any(Number),
			phone: '7900***0002',
			code: '0042',
		});
		const { json } = await client.post('getInfo', { uid: answer.json.ucaller_id });
		expect(json).toMatchObject({ status: true, call_status: 0 });
	});
});

describe('an error', () => {
	it.each([
		[1, 'a phone sent as text', 'initCall', { phone: String(PHONE) }],
		[1, 'a uid sent as text', 'getInfo', { uid: '1' }],
		[2, 'a missing parameter', 'initCall', {}],
		[2, 'a wrong parameter', 'initCall', { phone: PHONE, code: '123' }],
		[3, 'a wrong phone number', 'initCall', { phone: 7916 }],
		[10, 'an unknown call', 'getInfo', { uid: 1 }],
		[20, 'a voice call to Germany', 'initCall', { phone: 4915112345678, voice: true }],
		[405, 'an unknown method', 'sendSms', {}],
		[405, 'a repetition, which is withdrawn', 'initRepeat', { uid: 1 }],
		[1002, 'an empty balance', 'initCall', { phone: PHONE }],
	])('has code %i over HTTP 200 for %s', async (code, _what, method, args) => {
		const { client } = await start({ startingBalance: 0 });
		const answer = await client.post(method, args);
		expect(answer.status).toBe(200);
		expect(answer.json).toEqual({ status: false, error: expect.any(String), code });
		expect(client.emulator.ledger.calls).toHaveLength(0);
	});

	it('has code 401 over HTTP 200 for a wrong key, checked before the method', async () => {
		const { client } = await start();
		for (const method of ['getBalance', 'initRepeat', 'sendSms']) {
			const headers = { authorization: 'Bearer wrong.1001' };
			const answer = await client.raw({ path: `/v1.0/${method}`, headers });
			expect(answer).toMatchObject({ status: 200, json: { status: false, code: 401 } });
		}
	});
});

describe('the limit of requests', () => {
	it('is 30 a second: the next gets HTTP 429 and code 429', async () => {
		const { client, clock } = await start();
		for (let sent = 0; sent < 30; sent++) {
			expect((await client.get('getBalance')).status).toBe(200);
		}
		expect(await client.get('getBalance')).toMatchObject({ status: 429, json: { code: 429 } });
		clock.spend(1_000);
		expect((await client.get('getBalance')).status).toBe(200);
	});

	it('is announced with every answer: the limit, what is left, and the seconds until there is more', async () => {
		const { client, clock } = await start({ requestsPerSecondLimit: 2 });
		const answers = [await client.get('getBalance')];
		clock.spend(999);
		answers.push(await client.get('getInfo'), await client.get('getBalance'));
		clock.spend(1);
		answers.push(await client.get('getBalance'));
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
		const announced = (name: string) =>
			answers.map(({ headers }) => headers[`x-rate-limit-${name}`]);
		expect(announced('limit')).toEqual(['2', '2', '2', '2']);
		expect(announced('remaining')).toEqual(['1', '0', '0', '0']);
		expect(announced('reset')).toEqual(['1', '1', '1', '1']);
	});
});

describe('one number', () => {
	const codeOf = async (client: ContractClient, args: object = {}) =>
		(await callTo(client, args)).code;

	it('is called again after 15 seconds; before, code 19', async () => {
		const { client, clock } = await start();
		await callTo(client);
		clock.spend(14_999);
		expect(await callTo(client)).toMatchObject({ status: false, code: 19 });
		expect(await callTo(client, { phone: PHONE + 1 })).toMatchObject({ status: true });
		clock.spend(1);
		expect(await callTo(client)).toMatchObject({ status: true });
	});

	it('may be requested again at once with the same idempotency key, which makes no call', async () => {
		const { client, clock } = await start();
		const first = await callTo(client, { unique: UNIQUE });
		clock.spend(14_000);
		expect((await callTo(client, { unique: UNIQUE })).ucaller_id).toBe(first.ucaller_id);
		clock.spend(1_000);
		expect(await callTo(client)).toMatchObject({ status: true });
	});

	it.each([
		['4 calls a minute', 4, 1_000],
		['30 calls a day', 30, 60_000],
	])(
		'gets %s, and is then blocked for 10 hours: code 18 (§8.initCall.phone)',
		async (_what, calls, every) => {
			const numberLimits = { pauseMs: 0, perMinute: 4, perDay: 30, blockMs: 10 * HOUR };
			const { client, clock } = await start({ numberLimits });
			for (let made = 0; made < calls; made++) {
				expect(await codeOf(client)).toEqual(expect.any(String));
				clock.spend(every);
			}
			expect(await codeOf(client)).toBe(18);
			clock.spend(10 * HOUR - 1);
			expect(await codeOf(client)).toBe(18);
			expect(await codeOf(client, { phone: PHONE + 1 })).toEqual(expect.any(String));
			clock.spend(24 * HOUR);
			expect(await codeOf(client)).toEqual(expect.any(String));
			expect(client.emulator.ledger.calls).toHaveLength(calls + 2);
		},
	);
});

it('an event has the contract’s eight fields, and null for operators that it does not name', async () => {
	const receiver = await startWebhookReceiver(200, '');
	const { client } = await start();
	await client.post('inboundCallWaiting', { phone: PHONE, callback_url: receiver.url });
	await client.emulator.callFrom(PHONE);
	await receiver.close();
	expect(receiver.received[0]?.body).toEqual({
		callId: expect.any(String),
		callbackLink: receiver.url,
		clientNumber: String(PHONE),
		confirmationNumber: expect.any(String),
		isMnp: false,
		operatorName: null,
		operatorNameMnp: null,
		regionName: 'Moscow and Moscow Region',
	});
});

it.each([
	['what an inbound call has cost', PHONE, 0.5],
	['that an inbound call from a test number has cost nothing', UNREACHABLE, 0],
])('getInfo says %s', async (_what, phone, cost) => {
	const prices = { call: 0.4, voice: 0.9, mix: 1.2, check: 0.05, invalidCheck: 0, inbound: 0.5 };
	const { client } = await start({ prices });
	const waiting = { phone, callback_url: 'http://receiver.test' };
	const { json } = await client.post('inboundCallWaiting', waiting);
	const info = await client.post('getInfo', { uid: json.ucaller_id });
	expect(info.json).toMatchObject({ cost });
});
