import { contractClients } from './contractClient';
import { ManualClock } from './manualClock';
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver';

const start = contractClients();
let receiver: WebhookReceiver;

beforeEach(async () => {
	receiver = await startWebhookReceiver(202, 'x'.repeat(600));
});
afterEach(() => receiver.close());

describe('inboundCallWaiting', () => {
	it('posts the eight fields of the event once the call arrives', async () => {
		const client = await start();
		const args = { phone: 79161234565, callback_url: receiver.url };
		const { json } = await client.post('inboundCallWaiting', args);
		await client.emulator.callFrom('79161234565');
		expect(receiver.received).toEqual([
			{
				contentType: 'application/json',
				body: {
					callId: String(json.vendor_id),
					callbackLink: receiver.url,
					clientNumber: '79161234565',
					confirmationNumber: json.confirmation_number,
					isMnp: true,
					operatorName: 'Birch Mobile',
					operatorNameMnp: 'Ported Telecom',
					regionName: 'Moscow and Moscow Region',
				},
			},
		]);
	});

	it('accepts a call only from an awaited number, once, and within its lifetime', async () => {
		const clock = new ManualClock();
		const client = await start({ clock, inboundLifetimeMs: 60_000 });
		const args = { phone: 79161234567, callback_url: receiver.url };
		await client.post('inboundCallWaiting', args);
		expect(await client.emulator.callFrom('79160000000')).toBeUndefined();
		expect(await client.emulator.callFrom('79161234567')).toMatchObject({ status: 202 });
		expect(await client.emulator.callFrom('79161234567')).toBeUndefined();
		await client.post('inboundCallWaiting', args);
		clock.advance(60_000);
		expect(await client.emulator.callFrom('79161234567')).toBeUndefined();
	});

	it.each([
		['phone as a string', { phone: '79161234567', callback_url: 'http://a.test' }, /JSON number/],
		['no callback_url', { phone: 79161234567 }, /callback_url is required/],
		['an ftp address', { phone: 79161234567, callback_url: 'ftp://a.test' }, /http or https/],
		['no address at all', { phone: 79161234567, callback_url: 'soon' }, /http or https/],
	])('refuses %s', async (_, args, message) => {
		const client = await start();
		const { json } = await client.post('inboundCallWaiting', args);
		expect(json).toMatchObject({ code: 400, error: expect.stringMatching(message) });
		expect(client.emulator.ledger.inboundWaits).toHaveLength(0);
	});
});
