import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { nodeProperties, nodeSubtitle } from './operations/nodeProperties';
import { runItems } from './operations/runItems';

export class CallVerification implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Call Verification',
		name: 'callVerification',
		icon: {
			light: 'file:../../icons/callVerification.svg',
			dark: 'file:../../icons/callVerification.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: nodeSubtitle,
		description: 'Verify people by a phone call and check phone numbers',
		defaults: { name: 'Call Verification' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'callVerificationApi', required: true }],
		properties: nodeProperties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runItems(this)];
	}
}
