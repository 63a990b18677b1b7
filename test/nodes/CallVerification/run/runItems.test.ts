import {
	type IExecuteFunctions,
	type INode,
	type INodeProperties,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { z } from 'zod';

import { VirtualClock } from '../../../virtualClock';
import {
	defineOperation,
	type ItemContext,
	type Operation,
} from '../../../../nodes/CallVerification/run/operation';
import { runItems } from '../../../../nodes/CallVerification/run/runItems';
import { ServiceError } from '../../../../nodes/CallVerification/transport/errors';

const NODE: INode = {
	id: 'n1',
	name: 'Verify',
	type: 'package.callVerification',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

interface Start extends Partial<Operation> {
	readonly timeout?: (itemIndex: number) => number;
	readonly continues?: boolean;
	/** Of the operation's own fields. */
	readonly values?: Readonly<Record<string, unknown>>;
	readonly stop?: AbortSignal;
	readonly clock?: VirtualClock;
	readonly info?: (line: string) => void;
}

/** A minimal operation in a list of that many items. */
async function run(
	total: number,
	work: (item: ItemContext, parameters: unknown) => void,
	{
		timeout = () => 30,
		continues = false,
		values = {},
		stop,
		clock = new VirtualClock(),
		info = () => {},
		...own
	}: Start = {},
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
		async run(parameters, item) {
			work(item, parameters);
			return {};
		},
		...own,
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
				...Object.entries(values),
			]).get(name) ?? fallback,
		getInputData: () => Array.from({ length: total }, () => ({ json: {} })),
		continueOnFail: () => continues,
		getExecuteData: () => ({}),
		getContext: () => ({}),
		getTimezone: () => 'UTC',
		getExecutionCancelSignal: () => stop,
		logger: { info },
		addExecutionHints: ({ message, type }: { message: string; type: string }) =>
			hints.push([type, message]),
	} as unknown as IExecuteFunctions;
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

describe('a run', () => {
	it('leaves out optional texts that are empty, and nothing else', async () => {
		const text = { type: 'string', default: '' } as const;
		const fields: INodeProperties[] = [
			{ ...text, displayName: 'Note', name: 'note' },
			{ ...text, displayName: 'Name', name: 'name' },
			{ ...text, displayName: 'Phone', name: 'phone', required: true },
			{ displayName: 'Target', name: 'target', type: 'options', options: [], default: '' },
		];
		const values = { note: '', name: 'Ann', phone: '', target: '' };
		const work = jest.fn();
		await run(1, work, { fields, values, parameters: z.record(z.unknown()) });
		const entered = { name: 'Ann', phone: '', target: '' };
		expect(work).toHaveBeenCalledWith(expect.anything(), entered);
	});

	it.each([
		[
			'of a list verifies all items before the first request',
			2,
			['verify', 'verify', 'run', 'run'],
		],
		['of a single item leaves that to the item', 1, ['run']],
	])('%s', async (_what, total, done) => {
		const steps: string[] = [];
		const verify = async () => void steps.push('verify');
		await run(total, () => steps.push('run'), { verify });
		expect(steps).toEqual(done);
	});

	it('that is stopped outputs what was done before', async () => {
		const stopping = new AbortController();
		const { output } = await run(3, () => stopping.abort(), { stop: stopping.signal });
		expect(output).toEqual([{ json: {}, pairedItem: { item: 0 } }]);
	});

	it.each([
		['ended', () => {}],
		['failed', failLast(new Error('x'))],
	])('that has %s logs no more progress', async (_how, work) => {
		const [clock, info] = [new VirtualClock(), jest.fn()];
		await run(1, work, { clock, info }).catch(() => {});
		await clock.advance(60_000);
		expect(info).not.toHaveBeenCalled();
	});
});

it('an error of the service is among n8n’s details, too', async () => {
	const error = new ServiceError('words', { failure: 'refused', advice: 'Wait.' });
	const failing = run(1, failLast(error));
	await expect(failing).rejects.toMatchObject({ message: 'words', messages: ['words'] });
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
