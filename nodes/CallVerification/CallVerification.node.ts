import './n8nFloor';

import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { hintsBeforeRun } from './operations/hintsBeforeRun';
import { receiveAwaitedCall } from './operations/inboundCall/awaitedCall';
import { INBOUND_CALL_PATH } from './operations/inboundCall/callback';
import { showWaitingPage, waitingPageWebhook } from './operations/inboundCall/waitingPage';
import { nodeProperties, nodeSubtitle } from './operations/nodeProperties';
import { runItems } from './operations/runItems';
import { systemClock } from './operations/systemClock';

/** Resumes an execution that waits for an inbound call. */
const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		responseData: '',
		path: INBOUND_CALL_PATH,
		restartWebhook: true,
	},
	waitingPageWebhook,
];

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
		// There is no such value to import before n8n 1.85.
		inputs: [NodeConnectionTypes?.Main ?? 'main'],
		outputs: [NodeConnectionTypes?.Main ?? 'main'],
		credentials: [{ name: 'callVerificationApi', required: true }],
		webhooks: resumeWebhooks,
		hints: hintsBeforeRun,
		properties: nodeProperties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runItems(this, systemClock, Math.random)];
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		if (this.getRequestObject().method === 'GET') return showWaitingPage(this);
		return await receiveAwaitedCall(this, Date.now);
	}
}
