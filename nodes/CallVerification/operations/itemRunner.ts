import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { ServiceClient } from '../api/client';
import { parseInput } from '../api/contract/requestValue';
import { InputError } from '../api/errors';
import { idempotencyKey } from '../api/idempotencyKey';
import { isRecord } from '../api/record';
import { findOperation } from './index';
import type { ItemRun, Operation } from './operation';
import { requestOptions } from './requestOptions';

/** Runs the operation that an item asks for, with the item's own parameters. */
export function createItemRunner(
	context: IExecuteFunctions,
	connected: () => Promise<ServiceClient>,
): (itemIndex: number) => Promise<IDataObject> {
	const isTool = isToolRun(context);
	const keyOfItem = createKeyMaker(context, isTool);

	return async (itemIndex) => {
		const operation = operationOf(context, itemIndex);
		const parameters = parseInput(
			operation.parameters,
			readParameters(context, operation, itemIndex),
		);
		const { timeout } = parseInput(
			requestOptions,
			withoutBlanks(context.getNodeParameter('requestOptions', itemIndex, {})),
		);
		const client = await connected();
		const item: ItemRun = {
			send: async (method, request) =>
				await client.send(method, request, { timeout: timeout * 1_000 }),
			clock: { now: Date.now, sleep },
			isTool,
			isStopped: () => context.getExecutionCancelSignal()?.aborted ?? false,
			warn: (message) => context.logger.warn(message),
			idempotencyKey: (phone, delivery) => keyOfItem(itemIndex, phone, delivery),
		};
		// An operation only picks from what the service sent as JSON and adds plain values.
		return (await operation.run(parameters, item)) as IDataObject;
	};
}

function operationOf(context: IExecuteFunctions, itemIndex: number): Operation {
	const operation = findOperation(
		context.getNodeParameter('resource', itemIndex),
		context.getNodeParameter('operation', itemIndex),
	);
	if (operation !== undefined) return operation;
	throw new InputError(
		'This node does not have the chosen operation',
		'Open the node and choose a resource and an operation from the lists.',
	);
}

/** Each field once: an expression costs real time, and n8n does not remember its value. */
function readParameters(
	context: IExecuteFunctions,
	{ fields }: Operation,
	itemIndex: number,
): IDataObject {
	return Object.fromEntries(
		fields
			.filter(({ type }) => type !== 'notice')
			.map(({ name, type, default: fallback }) => {
				const value = context.getNodeParameter(name, itemIndex, fallback);
				return [name, type === 'collection' ? withoutBlanks(value) : value];
			}),
	);
}

/** An optional field that was added and left empty is no field. */
function withoutBlanks(collection: unknown): IDataObject {
	return Object.fromEntries(
		Object.entries(isRecord(collection) ? collection : {}).filter(
			([, value]) => value !== '' && value !== null && value !== undefined,
		),
	) as IDataObject;
}

/** n8n 1.x cannot say whether a tool is run, but there and in 2.x a tool's type ends like this. */
function isToolRun(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
}

/**
 * Instance and workflow are part of the key, because two n8n instances may hold the same imported
 * workflow. A tool leaves the run index out: n8n raises it on every try of the same tool call.
 */
function createKeyMaker(context: IExecuteFunctions, isTool: boolean) {
	let run: ReadonlyArray<string | number | undefined> | undefined;
	return (itemIndex: number, phone: number, delivery: string): string => {
		run ??= [
			context.getInstanceId(),
			context.getWorkflow().id,
			context.getExecutionId(),
			context.getNode().id,
			isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0)),
		];
		return idempotencyKey([...run, itemIndex, phone, delivery]);
	};
}
