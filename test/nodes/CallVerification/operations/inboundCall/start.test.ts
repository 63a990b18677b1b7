import { start } from '../../../../../nodes/CallVerification/operations/inboundCall/start';
import { fakeItem, read, run } from '../fakeItem';

const PHONE = '+7 900 000-00-01';
const TRIGGER = 'https://n8n.test/webhook/1/inbound-call';
const RECORD = { vendor_id: 1, confirmation_number: '74950000000' };

interface Seal {
	readonly reference: string;
}

async function ask(values: object, options: object = {}) {
	const seals: Seal[] = [];
	const remembered: unknown[] = [];
	const fake = fakeItem(() => RECORD, {
		more: {
			callbackSurroundings: () => ({
				resumeUrl: 'https://n8n.test/webhook-waiting/5',
				triggerPaths: ['webhook/1/inbound-call'],
				unconfirmedPaths: [],
				isPublished: true,
				isManual: false,
			}),
			callGuards: async () =>
				await Promise.resolve({
					withinLimits: async (...parts: unknown[]) =>
						await (parts.at(-1) as () => Promise<unknown>)(),
				}),
			confirmOwnTrigger: async () => await Promise.resolve(),
			isServicePrivate: async () => await Promise.resolve(false),
			rememberRequest: (call: unknown) => remembered.push(call),
			sealCallback: async (url: string, seal: Seal) => {
				seals.push(seal);
				return await Promise.resolve(`${url}?seal`);
			},
		},
	});
	const output = await run(start, fake.item, { phone: PHONE, ...values }, { ...options });
	return { ...fake, output, seals, remembered, callback: fake.sent[0]?.callback_url };
}

describe('a call to a trigger', () => {
	it('has the reference that was entered, and none otherwise', async () => {
		expect((await ask({})).seals).toEqual([expect.objectContaining({ reference: '' })]);
		const { seals } = await ask({}, { reference: 'contact-42' });
		expect(seals).toEqual([expect.objectContaining({ reference: 'contact-42' })]);
	});

	it('is not one that the execution can wait for', async () => {
		expect((await ask({})).remembered).toEqual([]);
		expect((await ask({ callbackTarget: 'execution' })).remembered).toEqual([
			{ callId: '1', phone: '79000000001', confirmationNumber: '74950000000' },
		]);
	});

	it('has a reference that is text, and the error names the field', () => {
		expect(() => read(start, { phone: PHONE }, { reference: {} })).toThrow(
			'“Reference” is not text',
		);
	});
});

describe('a call to any URL', () => {
	it('goes there, even if n8n would call it a test URL', async () => {
		const callbackUrl = 'https://other.test/webhook-test/1';
		const { callback, output, seals } = await ask({ callbackTarget: 'url', callbackUrl });
		expect([callback, output.callback_url, seals]).toEqual([callbackUrl, callbackUrl, []]);
		expect(output).toMatchObject({ ...RECORD, expires_at: null });
	});

	it('needs one, and no trigger will do', async () => {
		await expect(ask({ callbackTarget: 'url', callbackUrl: '' })).rejects.toThrow(
			'“Callback URL” is not a complete URL',
		);
		expect((await ask({ callbackUrl: '' })).callback).toBe(`${TRIGGER}?seal`);
	});
});
