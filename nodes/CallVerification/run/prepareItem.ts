import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { parseInput } from '../api/contract/requestValue';
import { InputError } from '../api/errors';
import { isBlank } from '../api/guards';
import { withInputFields } from './inputFields';
import { createItemRun } from './itemRun';
import type { NodeRun } from './nodeRun';
import type { Operation } from './operation';
import { outputChoices, shownOutput } from './outputChoices';

/** What remains to be done after an item's values are validated. */
export interface PreparedItem {
	/** Looks further for what is wrong with it, still without sending anything. */
	verify(stop: AbortSignal): Promise<void>;
	run(stop: AbortSignal): Promise<INodeExecutionData>;
}

/** Reads the item's values and validates them without sending anything. */
export function prepareItem(run: NodeRun, itemIndex: number): PreparedItem {
	const { context } = run;
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
	const choices = outputChoices(parameters, run.isTool);
	return {
		async verify(stop) {
			await operation.verify?.(parameters, createItemRun(run, itemIndex, stop));
		},
		async run(stop) {
			const item = createItemRun(run, itemIndex, stop);
			const output = await operation.run(parameters, item);
			// Operations only return JSON values of the service and plain values.
			const result = shownOutput(output, operation, choices) as IDataObject;
			const input = choices.isInputIncluded ? context.getInputData()[itemIndex] : undefined;
			const json =
				input === undefined ? result : withInputFields(input.json, result, operation.reserved);
			const { output: binary } = item.files;
			return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };
		},
	};
}

function operationOf({ context, resources }: NodeRun, itemIndex: number): Operation {
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
	{ context, optionValues }: NodeRun,
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
