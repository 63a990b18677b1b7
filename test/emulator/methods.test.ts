import { VirtualClock } from '../virtualClock';
import { contractClients } from './contractClient';
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver';

/** What the contract says, and no test of the nodes would notice if the emulator did not keep to it. */

const start = contractClients();
const PHONE = 79161234567;
const CALL = { phone: PHONE };
const WAITING = { phone: PHONE, callback_url: 'http://a.test' };

describe('a request against the contract', () => {
	it.each<[string, string, object, RegExp]>([
		['phone as a JSON string', 'initCall', { phone: '79161234567' }, /phone must be a JSON number/],
		['no phone', 'initCall', {}, /phone is required/],
		['a phone too short for E.164', 'initCall', { phone: 7916 }, /phone must be an E\.164 number/],
		['a fraction as phone', 'initCall', { phone: 7916123456.5 }, /phone must be a whole number/],
		['a code of 3 digits', 'initCall', { ...CALL, code: '123' }, /code must be exactly 4 digits/],
		[
			'a code without its zeros',
			'initCall',
			{ ...CALL, code: 42 },
			/code must be exactly 4 digits/,
		],
		['the code 0000', 'initCall', { ...CALL, code: '0000' }, /from 0001 to 9999/],
		['65 characters of client', 'initCall', { ...CALL, client: 'x'.repeat(65) }, /client .* 64/],
		['a numeric client', 'initCall', { ...CALL, client: 5 }, /client must be a string/],
		['65 characters of unique', 'initCall', { ...CALL, unique: 'x'.repeat(65) }, /unique .* 64/],
		['no UUID as unique', 'initCall', { ...CALL, unique: 'x' }, /unique must be a UUID v4/],
		['voice as text', 'initCall', { ...CALL, voice: 'true' }, /voice must be a boolean/],
		['voice in Germany', 'initCall', { phone: 4915112345678, voice: true }, /voice is available/],
		['mix in Kazakhstan', 'initCall', { phone: 77011234567, mix: true }, /mix is available for/],
		['an unknown parameter', 'initCall', { ...CALL, lang: 'en' }, /Unknown parameter: lang/],
		['a check of a JSON number', 'checkPhone', CALL, /phone must be a string, not a number/],
		[
			'an awaited call from a text',
			'inboundCallWaiting',
			{ ...WAITING, phone: '7' },
			/JSON number/,
		],
		['no callback_url', 'inboundCallWaiting', CALL, /callback_url is required/],
		[
			'an ftp address',
			'inboundCallWaiting',
			{ ...WAITING, callback_url: 'ftp://a.test' },
			/http or https/,
		],
	])('is refused for %s (%s)', async (_what, method, args, message) => {
		const client = await start();
		const answer = await client.post(method, { ...args });
		expect(answer).toMatchObject({ status: 400, json: { status: false, code: 400 } });
		expect(answer.json.error).toMatch(message);
		const { calls, checks, inboundWaits } = client.emulator.ledger;
		expect([...calls, ...checks, ...inboundWaits]).toEqual([]);
	});
});

describe('initRepeat', () => {
	it('repeats a call twice for free within five minutes, and not a third time (§8.initRepeat)', async () => {
		const clock = new VirtualClock(Date.UTC(2024, 0, 15));
		const client = await start({ clock });
		const startCall = async () => (await client.post('initCall', CALL)).json.vendor_id;
		const repeat = async (uid: unknown) => (await client.post('initRepeat', { uid })).json;
		const [first, second] = [await startCall(), await startCall()];
		const { balance } = client.emulator.ledger;
		expect(await repeat(first)).toMatchObject({ status: true, free_repeated: true });
		clock.spend(5 * 60_000);
		expect(await repeat(first)).toMatchObject({ status: true });
		expect(await repeat(first)).toMatchObject({ error: 'Both free repeats are used' });
		clock.spend(1);
		expect(await repeat(second)).toMatchObject({ status: false });
		expect(client.emulator.ledger.calls).toHaveLength(4);
		expect(client.emulator.ledger.balance).toBe(balance);
	});
});

describe('checkPhone', () => {
	it.each([
		['8 (916) 123-45-67', 79161234567, 'RU'],
		['9161234567', 79161234567, 'RU'],
		['+7 701 123 45 67', 77011234567, 'KZ'],
		['+375 29 123-45-67', 375291234567, 'BY'],
		['0049 151 12345678', 4915112345678, 'DE'],
		['+1 212-555-0123', 12125550123, 'US'],
	])('reads %s as %d of %s', async (source, phone, iso) => {
		const { json } = await (await start()).get('checkPhone', { phone: source });
		expect(json).toMatchObject({ source, phone, country_iso: iso, cost: 0.05 });
		expect(json).not.toHaveProperty('error');
	});

	it('fills organization, region and city for Russia only (§8.russia)', async () => {
		const { json } = await (await start()).post('checkPhone', { phone: '+49 151 12345678' });
		expect(json).toMatchObject({ company: '', region: '', city: '', country: 'Germany' });
	});

	it.each(['abc', '12', '+7 123 456 78 90', '+999 12345678', '1234567890123456', ' '])(
		'reports the invalid number %j in the error field of the record, for free',
		async (source) => {
			const answer = await (await start()).post('checkPhone', { phone: source });
			expect(answer.status).toBe(200);
			expect(answer.json).toMatchObject({ source, error: expect.any(String), phone: 0, cost: 0 });
			expect(answer.json).not.toHaveProperty('status');
		},
	);
});

describe('inboundCallWaiting', () => {
	let receiver: WebhookReceiver;

	beforeEach(async () => {
		receiver = await startWebhookReceiver(202, 'x'.repeat(600));
	});
	afterEach(() => receiver.close());

	it('posts the eight fields of the event once the call arrives', async () => {
		const client = await start();
		const args = { phone: 79161234565, callback_url: receiver.url };
		const { json } = await client.post('inboundCallWaiting', args);
		await client.emulator.callFrom('79161234565');
		const body = {
			callId: String(json.vendor_id),
			callbackLink: receiver.url,
			clientNumber: '79161234565',
			confirmationNumber: json.confirmation_number,
			isMnp: true,
			operatorName: 'Birch Mobile',
			operatorNameMnp: 'Ported Telecom',
			regionName: 'Moscow and Moscow Region',
		};
		expect(receiver.received).toEqual([{ contentType: 'application/json', body }]);
	});

	it('accepts a call only from an awaited number, once, and within its lifetime', async () => {
		const clock = new VirtualClock(Date.UTC(2024, 0, 15));
		const client = await start({ clock, inboundLifetimeMs: 60_000 });
		const args = { phone: PHONE, callback_url: receiver.url };
		await client.post('inboundCallWaiting', args);
		expect(await client.emulator.callFrom('79160000000')).toBeUndefined();
		expect(await client.emulator.callFrom(PHONE)).toMatchObject({ status: 202 });
		expect(await client.emulator.callFrom(PHONE)).toBeUndefined();
		await client.post('inboundCallWaiting', args);
		clock.spend(60_000);
		expect(await client.emulator.callFrom(PHONE)).toBeUndefined();
	});
});

it('getAccount has no status field, and the last 50 actions (§8.getAccount.logs)', async () => {
	const { json } = await (await start()).post('getAccount');
	expect(json).not.toHaveProperty('status');
	expect(json).toMatchObject({ id: expect.any(Number), two_auth: true });
	expect(json.logs).toHaveLength(50);
});
