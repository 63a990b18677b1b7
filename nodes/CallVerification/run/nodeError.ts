import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ServiceError } from '../transport/errors';
import { InputError } from '../contract/request';

/** Only our own words, because n8n stores the error with the execution, where others can read it. */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof ServiceError) {
		const httpCode = error.code === undefined ? undefined : String(error.code);
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

/** Joins what is not empty. The service's own words may lack a period. */
export function sentences(...texts: ReadonlyArray<string | null | undefined>): string {
	return texts
		.filter(Boolean)
		.map((text) => text?.replace(/[^.!?…]$/, '$&.'))
		.join(' ');
}
