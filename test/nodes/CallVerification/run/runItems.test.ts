import { type IExecuteFunctions, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { VirtualClock } from '../../../virtualClock';
import {
	defineOperation,
	type ItemContext,
} from '../../../../nodes/CallVerification/run/operation';
import { runItems } from '../../../../nodes/CallVerification/run/runItems';

const NODE: INode = {
	id: 'n1',
	name: 'Verify',
	type: 'package.callVerification',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** A minimal operation in a list of that many items. */
async function run(
	total: number,
	work: (item: ItemContext) => void,
	{
		timeout = () => 30,
		continues = false,
	}: { timeout?: (i: number) => number; continues?: boolean } = {},
) {
	const operation = defineOperation({
		value: 'get',
		name: 'Get',
		action: 'Get',
		description: 'Get',
		costs: 'no',
		fields: [],
		parameters: z.object({}),
		output: {},
		async run(_parameters, item) {
			work(item);
			return {};
		},
	});
	const resources = [{ value: 'plain', name: 'Plain', operations: [operation] }];
	const hints: Array<[string, string]> = [];
	const node = { ...NODE, parameters: { requestOptions: { timeout: '={{ $json.timeout }}' } } };
	const context = {
		getNode: () => node,
		getNodeParameter: (name: string, index: number, fallback: unknown) =>
			new Map<string, unknown>([
				['resource', 'plain'],
				['operation', 'get'],
				['requestOptions', { timeout: timeout(index) }],
				['requestOptions.timeout', timeout(index)],
			]).get(name) ?? fallback,
		getInputData: () => Array.from({ length: total }, () => ({ json: {} })),
		continueOnFail: () => continues,
		getExecuteData: () => ({}),
		getContext: () => ({}),
		getTimezone: () => 'UTC',
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: ({ message, type }: { message: string; type: string }) =>
			hints.push([type, message]),
	} as unknown as IExecuteFunctions;
	const clock = new VirtualClock();
	const output = await clock.runUntil(runItems(context, resources, clock, () => 0));
	return { output, hints };
}

const failLast = (error: unknown) => (item: ItemContext) => {
	if (item.itemIndex === item.itemCount - 1) throw error;
};

describe('the hints of a run', () => {
	it('are its summary', async () => {
		const { hints } = await run(2, () => {});
		expect(hints).toEqual([['info', '2 of 2 items done']]);
	});

	it('are none for a single item', async () => {
		expect((await run(1, () => {})).hints).toEqual([]);
	});

	it('warn of items that failed', async () => {
		const { hints } = await run(2, failLast(new Error('x')), { continues: true });
		expect(hints).toEqual([['warning', '1 of 2 items done, 1 failed']]);
	});

	it('warn of an option whose value for other items was not used', async () => {
		const { hints } = await run(2, () => {}, { timeout: (itemIndex) => itemIndex + 5 });
		expect(hints).toEqual([
			['warning', expect.stringMatching(/^“Timeout” applies to the whole run/)],
			['info', '2 of 2 items done'],
		]);
	});
});

describe('an error that is not our own', () => {
	it.each([
		['n8n’s', new NodeOperationError(NODE, 'words', { description: 'More.' })],
		['n8n’s about a request', new NodeApiError(NODE, {}, { message: 'words' })],
	])('stays as it is: %s', async (_whose, error) => {
		await expect(run(1, failLast(error))).rejects.toBe(error);
	});

	it.each([
		['an error', new Error('words')],
		['a text', 'words'],
	])('becomes one of n8n’s, with its item and no link of ours: %s', async (_what, thrown) => {
		const error = await run(2, failLast(thrown)).catch((failure: unknown) => failure);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: 'words',
			description: '1 of 2 items had already succeeded.',
			context: { itemIndex: 1 },
		});
	});
});
