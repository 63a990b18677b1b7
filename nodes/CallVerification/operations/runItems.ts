import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { connectOnce } from './connect';
import { failedItem, toNodeError } from './nodeError';
import { runItem } from './runItem';

export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const connected = connectOnce(context);
	const output: INodeExecutionData[] = [];
	for (let index = 0; index < context.getInputData().length; index++) {
		try {
			output.push({ json: await runItem(context, connected, index), pairedItem: { item: index } });
		} catch (error) {
			const nodeError = toNodeError(context.getNode(), error, index);
			// Throwing while n8n continues on error would send the unchanged input to the success output.
			if (!context.continueOnFail()) throw nodeError;
			output.push(failedItem(nodeError, index));
		}
	}
	return output;
}
