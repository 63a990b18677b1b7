import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/emulatedService';
import type { EmulatorSettings } from '../../emulator/settings';
import { runNode } from '../../harness/engine/n8nCore';
import { checkCode, getCall, startCall } from './parameters';
import { credentialFor } from './wire';

/** The emulator was written from the contract alone and refuses whatever violates it. */

let emulator: Emulator;

const start = async (settings: Partial<EmulatorSettings> = {}) => {
	emulator = await startService({ callResultAfterMs: 0, ...settings });
};

const run = async (parameters: INodeParameters, authScheme = 'header') => {
	const credential = credentialFor(emulator, authScheme);
	const { success, error } = await runNode({ parameters, credential });
	if (error) throw error;
	return success[0]?.json ?? {};
};

afterEach(async () => await emulator.close());

describe.each(['header', 'body', 'query'])('with the %s scheme', (authScheme) => {
	beforeEach(async () => await start({ withdrawnMethods: [] }));

	it('a call is started, looked up and its code checked (§2.vendor_id)', async () => {
		const options = { code: '0042', client: 'c 1' };
		const started = await run(startCall({ phone: '+7 900 000-00-01', options }), authScheme);
		const uid = started.vendor_id as number;
		const got = await run(getCall({ uid }), authScheme);
		const checked = await run(checkCode({ uid }), authScheme);

		expect(started).toMatchObject(options);
		expect(started.exists ?? false).toBe(false);
		expect(got).toMatchObject({ vendor_id: uid, call_state: 'completed', code: '0042' });
		expect(checked).toMatchObject({ matched: true, vendor_id: uid });
		expect(emulator.ledger.calls).toHaveLength(1);
	});

	it.each([
		['voice', '77010000000'],
		['mix', '79161234567'],
	])('a %s call is accepted (§4.1.voice)', async (delivery, phone) => {
		const { vendor_id } = await run(startCall({ phone, delivery }), authScheme);
		expect(vendor_id).toEqual(expect.any(Number));
	});

	it('a wrong key is refused', async () => {
		const { error } = await runNode({
			parameters: { resource: 'account', operation: 'getBalance' },
			credential: { ...credentialFor(emulator, authScheme), secretKey: 'wrong' },
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
		const call = await run(startCall({ phone, waitForResult: true }));
		expect(call.call_state).toBe(call_state);
		expect(emulator.ledger.balance).toBe(before);
	});
});

describe('where the contract leaves room', () => {
	it.each([
		{ phoneInfoShape: 'object', costShape: 'number' },
		{ phoneInfoShape: 'array', costShape: 'boolean' },
	] as const)('a record may have the shapes %j', async (settings) => {
		await start(settings);
		const { vendor_id } = await run(startCall({ phone: '79161234567' }));
		const { phone_info, cost } = await run(getCall({ uid: vendor_id as number }));
		expect(phone_info).toMatchObject({ operator: expect.any(String) });
		expect(cost).toEqual(settings.costShape === 'number' ? expect.any(Number) : null);
	});

	it.each(['string', 'number'] as const)(
		'an address in the history may be a %s',
		async (ipShape) => {
			await start({ ipShape });
			const { logs } = await run({ resource: 'account', operation: 'get', simplify: false });
			const ip: unknown = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/);
			expect(logs).toEqual(expect.arrayContaining([expect.objectContaining({ ip })]));
		},
	);
});
