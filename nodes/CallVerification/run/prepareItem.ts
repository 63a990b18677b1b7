import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { InputError, parseInput } from '../contract/request';
import { isBlank } from './guards';
import { isInputIncluded } from './inputFields';
import { createItemContext } from './itemContext';
import { sentences, type toNodeError } from './nodeError';
import { isToolRun, type RunContext } from './runContext';
import type { Operation } from './operation';
import { outputChoices, shownOutput } from './outputChoices';

/** An item whose values are validated. */
export class PreparedItem {
	constructor(
		private readonly runContext: RunContext,
		private readonly itemIndex: number,
		private readonly operation: Operation,
		private readonly parameters: unknown,
	) {}

	/** Looks for what else is wrong with it, still without sending anything. */
	async verify(stop: AbortSignal): Promise<void> {
		const { runContext, itemIndex, operation, parameters } = this;
		await operation.verify?.(parameters, createItemContext(runContext, itemIndex, stop));
	}

	async run(stop: AbortSignal): Promise<INodeExecutionData> {
		const { runContext, itemIndex, operation, parameters } = this;
		const choices = outputChoices(parameters, runContext.isTool);
		const item = createItemContext(runContext, itemIndex, stop);
		const output = await operation.run(parameters, item);
		// Operations only return JSON values of the service and plain values.
		const result = shownOutput(output, operation, choices) as IDataObject;
		const json = choices.isInputIncluded
			? runContext.inputFields.beside(result, itemIndex, operation)
			: result;
		const { output: binary } = item.files;
		return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };
	}
}

/** What is known even if the run could not begin. */
type RunWithInput = Pick<RunContext, 'context' | 'resources' | 'inputFields'>;

/** Reads the item's values and validates them without sending anything. */
export function prepareItem(run: RunContext, itemIndex: number): PreparedItem {
	const operation = operationOf(run, itemIndex);
	const parameters: unknown = parseInput(
		operation.parameters,
		readParameters(run, operation, itemIndex),
	);
	operation.check?.(parameters, {
		itemCount: run.itemCount,
		isTool: run.isTool,
		callbackSurroundings: () => run.callbackSurroundings,
	});
	return new PreparedItem(run, itemIndex, operation, parameters);
}

/**
 * n8n routes an item to the error output only if it has exactly these keys (1.x: `error`, or `error` and `message`). It
 * merges the input's fields itself, using a paired item in object form, and ours overwrite them.
 */
export function failedItem(
	run: RunWithInput,
	error: ReturnType<typeof toNodeError>,
	itemIndex: number,
): INodeExecutionData {
	const { context, inputFields } = run;
	const { message, description: advice } = error;
	const failure = { error: message, ...(advice && { message: advice }) };
	const operation = operationWithInput(run, itemIndex);
	const withInput = (): IDataObject => {
		if (operation === undefined) return failure;
		if (context.getNode().onError !== 'continueErrorOutput') {
			return inputFields.beside(failure, itemIndex, operation);
		}
		return inputFields.columns.has('message') ? { error: sentences(message, advice) } : failure;
	};
	return { json: withInput(), pairedItem: { item: itemIndex } };
}

/** Undefined if the input is not included, or if that cannot be told. */
function operationWithInput(run: RunWithInput, itemIndex: number): Operation | undefined {
	try {
		const isIncluded = !isToolRun(run.context) && isInputIncluded(run.context, itemIndex);
		return isIncluded ? operationOf(run, itemIndex) : undefined;
	} catch {
		return undefined;
	}
}

function operationOf({ context, resources }: RunWithInput, itemIndex: number): Operation {
	const chosen = (name: string) => context.getNodeParameter(name, itemIndex);
	const resource = resources.find(({ value }) => value === chosen('resource'));
	const operation = resource?.operations.find(({ value }) => value === chosen('operation'));
	if (operation !== undefined) return operation;
	throw new InputError(
		'The selected operation does not exist',
		'Open the node and select a resource and an operation from the lists.',
	);
}

/** Reads each field once, because evaluating an expression takes time and n8n does not cache it. */
function readParameters(
	{ context, optionValues }: RunContext,
	{ fields, optionsOfRun }: Operation,
	itemIndex: number,
): Record<string, unknown> {
	const parameters: Record<string, unknown> = {};
	for (const field of fields) {
		const { name, type, required, default: fallback } = field;
		if (type === 'notice') continue;
		if (type === 'collection') {
			parameters[name] = optionValues.read(field, itemIndex, optionsOfRun);
			continue;
		}
		const value = context.getNodeParameter(name, itemIndex, fallback);
		// An empty text in an optional field counts as not entered.
		if (type === 'string' && !required && isBlank(value)) continue;
		parameters[name] = value;
	}
	return parameters;
}
