import type { INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { InputError, ServiceError } from '../api/errors';

/** Only words of our own go into the error: n8n stores it with the execution, for all to read. */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof ServiceError) {
		const httpCode = error.status === undefined ? undefined : String(error.status);
		return new NodeApiError(
			node,
			{ message: error.message },
			{ message: error.message, description: error.advice, httpCode, itemIndex },
		);
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
 * n8n routes an item to the error output only if it has these keys and no other (1.x: `error`, or
 * `error` and `message`); it merges the input's fields in by itself, through a paired item in object
 * form.
 */
export function failedItem(
	error: NodeApiError | NodeOperationError,
	itemIndex: number,
): INodeExecutionData {
	return {
		json: { error: error.message, ...(error.description && { message: error.description }) },
		pairedItem: { item: itemIndex },
	};
}
