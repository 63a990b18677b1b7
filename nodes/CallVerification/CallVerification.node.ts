import './n8nFloor';

import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { callVerificationApiTest } from './transport/credentialTest';
import { systemClock } from './transport/systemClock';
import { receiveAwaitedCall, resumeWebhooks, showWaitingPage } from './inbound/awaitedCall';
import { hintsBeforeRun, nodeProperties, nodeSubtitle } from './nodeProperties';
import { resources } from './operations';
import { runItems } from './run/runItems';

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
		description: 'Verify people by phone call and check phone numbers',
		defaults: { name: 'Call Verification' },
		// n8n before 1.85 does not list a tool that has its own description.
		usableAsTool: NodeConnectionTypes === undefined || {
			replacements: {
				description:
					'Check phone numbers, call people with a code and check the code they type. Calls and checks cost money. The agent never sees the code and never waits for a call.',
			},
		},
		builderHint: {
			searchHint:
				'Call: Start, Phone Number: Check and Phone Number: Check File cost money for every new number; Inbound Call: Get Number to Call may, depending on the tariff. Set options.allowedPrefixes wherever strangers enter numbers, and options.maxTotalCost for lists. A phone is verified only when Call: Check Code returns matched = true, or when the inbound call has arrived.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-call-verification.callVerificationTrigger',
					relationHint:
						'Starts a workflow when the person has called. Publish it before Inbound Call: Get Number to Call runs.',
				},
			],
		},
		waitingNodeTooltip:
			'The execution continues when the person calls the number from “Inbound Call: Get Number to Call”, or when the time is up.',
		// n8n before 1.85 does not export this value.
		inputs: [NodeConnectionTypes?.Main ?? 'main'],
		outputs: [NodeConnectionTypes?.Main ?? 'main'],
		credentials: [
			{ name: 'callVerificationApi', required: true, testedBy: 'callVerificationApiTest' },
		],
		webhooks: resumeWebhooks,
		hints: hintsBeforeRun,
		properties: nodeProperties,
	};

	methods = { credentialTest: { callVerificationApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runItems(this, resources, systemClock, Math.random)];
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		if (this.getRequestObject().method === 'GET') return showWaitingPage(this);
		return await receiveAwaitedCall(this, Date.now());
	}
}
