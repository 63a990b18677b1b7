import './n8nFloor';

import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
	NodeHint,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { receiveAwaitedCall, resumeWebhooks, showWaitingPage } from './inbound/awaitedCall';
import { resources } from './operations';
import { notForTools } from './run/operation';
import { requestOptionsField } from './run/options';
import { runItems } from './run/runItems';
import { callVerificationApiTest } from './transport/credentialTest';
import { systemClock } from './transport/pipeline';

const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		operation,
		shownFor: { resource: [resource.value], operation: [operation.value] },
	})),
);

const actions = operations.map(({ name, operation }) => [name, operation.action] as const);

const firstOf = (choices: ReadonlyArray<{ readonly value: string }>) => choices[0]?.value ?? '';

const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: firstOf(resources),
	},
	...resources.map(
		(resource): INodeProperties => ({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource.value] } },
			options: resource.operations.map((operation) => ({
				name: operation.name,
				value: operation.value,
				action: operation.action,
				description: operation.description,
				...(operation.builderHint && { builderHint: { propertyHint: operation.builderHint } }),
				...(operation.isForTools === false && { displayOptions: notForTools }),
			})),
			default: firstOf(resource.operations),
		}),
	),
	...operations.flatMap(({ operation, shownFor }) =>
		operation.fields.map((field) => ({
			...field,
			displayOptions: {
				...field.displayOptions,
				show: { ...shownFor, ...field.displayOptions?.show },
			},
		})),
	),
	requestOptionsField,
];

const hintsBeforeRun = operations.flatMap(({ name, operation: { hintBeforeRun } }): NodeHint[] => {
	if (hintBeforeRun === undefined) return [];
	return [
		{
			message: hintBeforeRun.message,
			type: 'info',
			displayCondition: `={{ $parameter.resource + "." + $parameter.operation === "${name}" && ${hintBeforeRun.when} }}`,
			whenToDisplay: 'beforeExecution',
			location: 'outputPane',
		},
	];
});

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
		// On the canvas: "Check phone number" rather than "check: phoneNumber".
		subtitle: `={{ (${JSON.stringify(Object.fromEntries(actions))})[$parameter["resource"] + "." + $parameter["operation"]] }}`,
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
		properties,
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
