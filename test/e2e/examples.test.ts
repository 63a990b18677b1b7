import { join } from 'node:path';
import { type Emulator, startEmulator } from '../emulator/emulator';
import type { EmulatorSettings } from '../emulator/settings';
import {
	callWebhook,
	connect,
	type Execution,
	itemsOf,
	type N8nClient,
	productionUrl,
	readWorkflowFiles,
	type WorkflowFile,
} from '../real-n8n';
import { instances } from './instances';
import { CREDENTIAL_TYPE, credentialData } from './service';

/** n8n gives a new credential this name, and an imported workflow finds it by that name. */
const DEFAULT_NAME = 'Call Verification account';
const TESTED = [
	'call-and-check-code',
	'check-phone-list',
	'low-balance-alert',
	'on-inbound-call',
	'verify-by-inbound-call',
];

let examples: Map<string, WorkflowFile>;

beforeAll(async () => {
	examples = await readWorkflowFiles(join(__dirname, '../../examples'));
});

test('every example is tested', () => {
	expect([...examples.keys()]).toEqual(TESTED);
});

describe.each(instances)('the examples in n8n $version', ({ line, url }) => {
	let client: N8nClient;

	beforeAll(async () => {
		client = await connect({ line, url });
	});

	test('check-phone-list parts the good numbers from the bad', async () => {
		const { execution, emulator } = await runExample('check-phone-list');

		const given = itemsOf(execution, 'One Item per Number').map(({ phone }) => phone);
		const good = itemsOf(execution, 'Good Numbers');
		const bad = itemsOf(execution, 'Bad Numbers');
		expect(given).toHaveLength(7);
		expect(good.length + bad.length).toBe(given.length);
		// One number is on the list twice.
		expect(emulator.ledger.checks).toHaveLength(given.length - 1);
		expect(good[0]).toEqual({
			phone: 79000000001,
			operator: 'North Line',
			country: 'RU',
			region: 'Saint Petersburg',
		});
		const invalid = emulator.ledger.checks.filter(({ valid }) => !valid);
		expect(bad.map((item) => item.given)).toEqual(invalid.map(({ source }) => source));
		expect(bad[0]).toEqual({ given: '12345', reason: 'The phone is too short' });
	});

	test('call-and-check-code verifies the person by the code typed', async () => {
		const { execution, emulator } = await runExample('call-and-check-code');

		const [call] = emulator.ledger.calls;
		expect(call).toMatchObject({ phone: '79000000001', code: '4321', test: true });
		expect(itemsOf(execution, 'Check Code')).toEqual([
			{ matched: true, vendor_id: call?.vendorId, call_status: 1, call_state: 'completed' },
		]);
		expect(itemsOf(execution, 'Verified')).toEqual([{ verified: true, callId: call?.vendorId }]);
		expect(execution.nodes).not.toHaveProperty('Not Verified');
	});

	test('low-balance-alert can be published', async () => {
		await withExample('low-balance-alert', {}, async (id) => {
			await client.workflows.publish(id);
			await client.workflows.unpublish(id);
		});
	});

	test('low-balance-alert speaks up when the balance is low', async () => {
		const { execution } = await runExample('low-balance-alert', { startingBalance: 99.5 });

		expect(itemsOf(execution, 'Alert')).toEqual([
			{ message: expect.stringContaining('99.5 RUB'), balance: 99.5 },
		]);
	});

	test('low-balance-alert keeps quiet when it is not', async () => {
		const { execution } = await runExample('low-balance-alert', { startingBalance: 100 });

		expect(execution.nodes).not.toHaveProperty('Alert');
	});

	test('verify-by-inbound-call waits for the person to call', async () => {
		const execution = await withExample('verify-by-inbound-call', {}, async (id, emulator) => {
			const executionId = await client.workflows.run(id);
			await client.executions.wait(executionId, { until: ['waiting'] });
			await emulator.callFrom('79000000001');
			return await client.executions.wait(executionId);
		});

		expect(itemsOf(execution, 'Verified')).toEqual([{ verified: true, phone: '79000000001' }]);
		expect(execution.nodes).not.toHaveProperty('No Call Came');
	});

	test('on-inbound-call gives a number to call, and reacts to the call once', async () => {
		await withExample('on-inbound-call', {}, async (id, emulator) => {
			await client.workflows.publish(id);
			const body = { phone: '+7 900 000-00-01', contact: 'contact-42' };
			const answer = await callWebhook(productionUrl(url, 'request-call'), { body });
			const { execution } = await client.executions.startedBy(
				id,
				async () => await emulator.callFrom('79000000001'),
			);
			await client.workflows.unpublish(id);

			const [wait] = emulator.ledger.inboundWaits;
			expect(answer).toMatchObject({ status: 200, json: { call: wait?.confirmationNumber } });
			expect(itemsOf(execution, 'Contact Is Verified')).toEqual([
				{ contact: 'contact-42', phone: '79000000001' },
			]);
		});
	});

	/** Imports the file as it is, into an n8n with one credential, and runs it as its button does. */
	async function runExample(
		name: string,
		settings: Partial<EmulatorSettings> = {},
	): Promise<{ execution: Execution; emulator: Emulator }> {
		return await withExample(name, settings, async (id, emulator) => {
			const execution = await client.executions.wait(await client.workflows.run(id));
			expect(execution.error).toBeUndefined();
			return { execution, emulator };
		});
	}

	async function withExample<T>(
		name: string,
		settings: Partial<EmulatorSettings>,
		use: (workflowId: string, emulator: Emulator) => Promise<T>,
	): Promise<T> {
		const file = examples.get(name);
		if (!file) throw new Error(`There is no example ${name}`);
		const emulator = await startEmulator({ callResultAfterMs: 300, ...settings });
		const data = credentialData(emulator);
		const credential = await client.credentials.create(DEFAULT_NAME, CREDENTIAL_TYPE, data);
		try {
			const { id } = await client.workflows.create(file);
			return await use(id, emulator);
		} finally {
			await client.credentials.delete(credential);
			await emulator.close();
		}
	}
});
