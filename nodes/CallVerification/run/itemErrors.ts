import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { InputError } from '../contract/request';
import { ServiceError } from '../transport/errors';
import { chosenOperation, type Operation } from './operation';
import { isInputIncluded } from './output';
import type { RunInput } from './runContext';

type NodeError = NodeApiError | NodeOperationError;

/** Returns the output item of a failed item, or throws the error that ends the run. */
export function failItem(input: RunInput, error: unknown, itemIndex: number): INodeExecutionData {
	const nodeError = toNodeError(input.context.getNode(), error, itemIndex);
	// Throwing while n8n continues on error would send the unchanged input to the success output.
	if (!input.continues) throw nodeError;
	return { json: failureOutput(input, nodeError, itemIndex), pairedItem: { item: itemIndex } };
}

/** The error that ends a run, with what it means for the other items. */
export function runError(
	node: INode,
	error: unknown,
	itemIndex: number,
	aboutOthers: string,
): NodeError {
	const nodeError = toNodeError(node, error, itemIndex);
	nodeError.description = sentences(nodeError.description, aboutOthers);
	return nodeError;
}

/** Only our own words, because n8n stores the error with the execution, where others can read it. */
function toNodeError(node: INode, error: unknown, itemIndex: number): NodeError {
	if (error instanceof ServiceError) {
		const { message, advice: description, code } = error;
		const httpCode = code === undefined ? undefined : String(code);
		return new NodeApiError(node, { message }, { message, description, httpCode, itemIndex });
	}
	if (error instanceof InputError) {
		return new NodeOperationError(node, error.message, { description: error.advice, itemIndex });
	}
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/**
 * n8n routes an item to the error output only if it has exactly these keys (1.x: `error`, or `error` and `message`). It
 * merges the input's fields itself, using a paired item in object form, and ours overwrite them.
 */
function failureOutput(input: RunInput, error: NodeError, itemIndex: number): IDataObject {
	const { message, description: advice } = error;
	const failure = { error: message, ...(advice && { message: advice }) };
	const operation = operationWithInput(input, itemIndex);
	if (operation === undefined) return failure;
	if (input.context.getNode().onError !== 'continueErrorOutput') {
		return input.inputFields.beside(failure, itemIndex, operation);
	}
	return input.inputFields.columns.has('message') ? { error: sentences(message, advice) } : failure;
}

/** Undefined if the input is not included, or if that cannot be told. */
function operationWithInput(input: RunInput, itemIndex: number): Operation | undefined {
	try {
		const isIncluded = !input.isTool && isInputIncluded(input.context, itemIndex);
		return isIncluded ? chosenOperation(input, itemIndex) : undefined;
	} catch {
		return undefined;
	}
}

/** Joins what is not empty. The service's own words may lack a period. */
function sentences(...texts: ReadonlyArray<string | null | undefined>): string {
	return texts
		.filter(Boolean)
		.map((text) => text?.replace(/[^.!?…]$/, '$&.'))
		.join(' ');
}
