import type { IDataObject } from 'n8n-workflow';
import { connect, itemsOf, type N8nClient } from '../../harness';
import { waitUntil } from '../../harness/process/waitUntil';
import { instances } from './instances';
import { NODE, runNode, workflowWith } from '../../harness/workflows/nodeRunner';
import {
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';

const LIST = 301;
const numbers = Array.from({ length: LIST }, (_none, index) => ({
	phone: String(79160000000 + index),
}));

const check = {
	resource: 'phoneNumber',
	operation: 'check',
	phone: '={{ $json.phone }}',
	simplify: true,
	options: {},
	requestOptions: { concurrency: 8 },
};

describe.each(instances)('a paid list in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let service: EmulatedService;

	beforeEach(async () => {
		client = await connect({ line, url });
		service = await startEmulatedService(client, { latencyMs: 60 });
	});

	afterEach(async () => {
		await service.emulator.close();
	});

	const paidFor = () => service.emulator.ledger.checks.map(({ source }) => source);

	test('a value that cannot be right, in row 281, stops the run before it costs anything', async () => {
		const items = numbers.map((item, index) => (index === 280 ? { phone: true } : item));
		const { error } = await runNode(client, service.credential, check, { items });

		expect(error?.description).toContain('Nothing was sent');
		expect(service.emulator.ledger.requests).toEqual([]);
	});

	/** Starts the list and acts once this many of its numbers are paid for. */
	const runUntilPaid = async (count: number, then: (executionId: string) => unknown) => {
		const workflow = workflowWith(service.credential, check, { items: numbers });
		const { id } = await client.workflows.create(workflow);
		const executionId = await client.workflows.run(id);
		await waitUntil(async () => (paidFor().length >= count ? true : undefined), {
			what: `${count} numbers are paid for`,
			limit: 30_000,
			longestPause: 20,
		});
		await then(executionId);
		return await client.executions.wait(executionId);
	};

	const expectPaidOnce = (results: IDataObject[]) => {
		expect(results.map(({ source }) => source)).toEqual(numbers.map(({ phone }) => phone));
		expect(paidFor()).toHaveLength(LIST);
		expect(new Set(paidFor()).size).toBe(LIST);
	};

	test('n8n’s Retry of a failed execution pays only for the rest', async () => {
		const { faults } = service.emulator;
		const failed = await runUntilPaid(200, () => faults.add({ kind: 'errorCode', code: 402 }));
		expect(failed.status).toBe('error');
		expect(failed.error?.description).toContain('does not pay for them again');
		expect(paidFor().length).toBeLessThan(LIST);

		faults.clear();
		const retried = await client.executions.wait(await client.executions.retry(failed.id));

		expectPaidOnce(itemsOf(retried, NODE));
	});
});
