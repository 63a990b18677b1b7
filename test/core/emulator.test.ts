import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/service';
import type { EmulatorSettings } from '../../emulator/settings';
import { credential, runNode } from '../../harness/engine/n8nCore';
import { checkCode, getCall, startCall as startOf } from './parameters';

/** The emulator was written from the contract alone and refuses whatever violates it. */

let emulator: Emulator;

const start = async (settings: Partial<EmulatorSettings> = {}) => {
	emulator = await startService({ callResultAfterMs: 0, ...settings });
};

const run = async (parameters: INodeParameters, authScheme = 'header') =>
	await runNode({
		parameters,
		credential: credential({
			baseUrl: emulator.url,
			secretKey: emulator.secretKey,
			serviceId: emulator.serviceId,
			authScheme,
		}),
	});

const startCall = (phone: string, delivery = 'callerNumber', options: INodeParameters = {}) =>
	startOf({ phone, delivery, options });

afterEach(async () => await emulator.close());

describe.each(['header', 'body', 'query'])('with the %s scheme', (authScheme) => {
	beforeEach(async () => await start({ withdrawnMethods: [] }));

	it('a call is started, looked up and its code checked (§2.vendor_id)', async () => {
		const started = await run(
			startCall('+7 900 000-00-01', 'callerNumber', { code: '0042', client: 'c 1' }),
			authScheme,
		);
		const uid = started.success[0]?.json.vendor_id as number;
		const got = await run(getCall({ uid }), authScheme);
		const checked = await run(checkCode({ uid }), authScheme);

		expect(started.success[0]?.json).toMatchObject({ code: '0042', client: 'c 1' });
		expect(started.success[0]?.json.exists ?? false).toBe(false);
		expect(got.success[0]?.json).toMatchObject({
			vendor_id: uid,
			call_state: 'completed',
			code: '0042',
		});
		expect(checked.success[0]?.json).toMatchObject({ matched: true, vendor_id: uid });
		expect(emulator.ledger.calls).toHaveLength(1);
	});

	it.each([
		['voice', '77010000000'],
		['mix', '79161234567'],
	])('a %s call is accepted (§4.1.voice)', async (delivery, phone) => {
		const { success, error } = await run(startCall(phone, delivery), authScheme);
		expect(error).toBeUndefined();
		expect(success[0]?.json.vendor_id).toEqual(expect.any(Number));
	});

	it('a wrong key is refused', async () => {
		const { error } = await runNode({
			parameters: { resource: 'account', operation: 'getBalance' },
			credential: credential({
				baseUrl: emulator.url,
				secretKey: 'wrong',
				serviceId: '1',
				authScheme,
			}),
		});
		expect(error?.httpCode).toBe('401');
		expect(emulator.ledger.requests).toHaveLength(1);
	});
});

describe('test numbers', () => {
	it.each([
		['79000000001', 'completed'],
		['79000000002', 'failed'],
	])('§1.6 %s ends as “%s” and costs nothing', async (phone, call_state) => {
		await start();
		const before = emulator.ledger.balance;
		const { success } = await run({ ...startCall(phone), waitForResult: true });
		expect(success[0]?.json.call_state).toBe(call_state);
		expect(emulator.ledger.balance).toBe(before);
	});
});

describe('where the contract leaves room', () => {
	it.each([
		{ phoneInfoShape: 'object', costShape: 'number' },
		{ phoneInfoShape: 'array', costShape: 'boolean' },
	] as const)('a record may have the shapes %j', async (settings) => {
		await start(settings);
		const started = await run(startCall('79161234567'));
		const { success } = await run(getCall({ uid: started.success[0]?.json.vendor_id as number }));
		expect(success[0]?.json.phone_info).toEqual(
			expect.objectContaining({ operator: expect.any(String) }),
		);
		expect(success[0]?.json.cost).toEqual(
			settings.costShape === 'number' ? expect.any(Number) : null,
		);
	});

	it.each(['string', 'number'] as const)(
		'an address in the history may be a %s',
		async (ipShape) => {
			await start({ ipShape });
			const { success } = await run({ resource: 'account', operation: 'get', simplify: false });
			expect(success[0]?.json.logs).toEqual(
				expect.arrayContaining([
					expect.objectContaining({ ip: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) }),
				]),
			);
		},
	);
});
