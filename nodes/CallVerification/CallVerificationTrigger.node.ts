import './n8nFloor';

import type {
	IHookFunctions,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { callVerificationApiTest } from './transport/credentialTest';
import {
	callbackWebhook,
	isRegistered,
	registerTrigger,
	unregisterTrigger,
} from './inbound/callbackUrl';
import { readTriggerSettings, receiveEvent } from './inbound/inboundEvent';
import { givenOptions, optionsField } from './run/options';

const triggerOptionsField: INodeProperties = {
	...optionsField,
	options: [
		{
			displayName: 'Allowed Workflows',
			name: 'issuers',
			type: 'string',
			default: '',
			placeholder: 'e.g. q1W2e3R4t5Y6u7I8',
			displayOptions: { show: { '/eventAuthentication': ['signature'] } },
			description:
				'Comma-separated IDs of the workflows that may request calls for this trigger. Leave empty to accept calls from every workflow with this credential.',
			builderHint: {
				propertyHint:
					'Set to the ID of this workflow, as an expression, if Inbound Call: Get Number to Call is in the same workflow. Otherwise anyone who may use the credential can start this workflow with any reference.',
			},
		},
		{
			displayName: 'Ignore Duplicates',
			name: 'ignoreDuplicates',
			type: 'boolean',
			default: true,
			displayOptions: { show: { '/eventAuthentication': ['none'] } },
			description:
				'Whether to start the workflow only once if the same call is reported again within a day. Each n8n process only knows its own events; the documentation shows a filter across processes.',
		},
		{
			displayName: 'IP Allowlist',
			name: 'ipAllowlist',
			type: 'string',
			default: '',
			placeholder: 'e.g. 192.0.2.10, 198.51.100.0/24',
			description:
				'IP addresses and ranges to accept events from, IPv4 or IPv6. Behind a proxy, set N8N_PROXY_HOPS.',
		},
	],
};

function readOptions(context: IHookFunctions | IWebhookFunctions) {
	const { options: stored } = context.getNode().parameters;
	return givenOptions(triggerOptionsField, stored, context.getNodeParameter('options', {}));
}

export class CallVerificationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Call Verification Trigger',
		name: 'callVerificationTrigger',
		icon: {
			light: 'file:../../icons/callVerification.svg',
			dark: 'file:../../icons/callVerification.dark.svg',
		},
		group: ['trigger'],
		version: 2,
		subtitle: 'On inbound call',
		// In the node picker, n8n shows this one for both nodes.
		description:
			'Check phone numbers, call people with a code, or start a workflow when a person calls',
		eventTriggerDescription: 'Waiting for an inbound call',
		activationMessage:
			'Inbound calls now start this workflow. Next, run “Inbound Call: Get Number to Call” and show the number to the person who should call.',
		builderHint: {
			searchHint:
				'Publish the workflow with this trigger first. “Inbound Call: Get Number to Call” finds it automatically in the same workflow; in another workflow, set callbackUrl to its production URL. Keep eventAuthentication at “signature”, otherwise anyone can forge a call. If a visitor waits on a page meanwhile, use Inbound Call: Wait instead.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-call-verification.callVerification',
					relationHint:
						'Inbound Call: Get Number to Call requests the call that this trigger reports',
				},
			],
		},
		defaults: { name: 'Call Verification Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes?.Main ?? 'main'],
		credentials: [
			{ name: 'callVerificationApi', required: true, testedBy: 'callVerificationApiTest' },
		],
		webhooks: [callbackWebhook],
		triggerPanel: {
			header: 'Waiting for an inbound call',
			executionsHelp: {
				inactive:
					'<b>While building your workflow</b>, listen here, paste the <b>test URL</b> into Callback URL of “Inbound Call: Get Number to Call”, execute that node and call the number it returns.<br /><br /><b>Once it works</b>, publish the workflow. Every inbound call then starts it through the <b>production URL</b>. “Inbound Call: Get Number to Call” in this workflow finds that URL automatically; in other workflows, paste it into Callback URL.',
				active:
					'<b>The workflow is published</b>: every inbound call starts it through the <b>production URL</b>, and you can see the executions in the executions list. “Inbound Call: Get Number to Call” in this workflow finds that URL automatically; in other workflows, paste it into Callback URL.<br /><br /><b>To test a change</b>, listen here and use the <b>test URL</b> instead.',
			},
			activationHint:
				'Once you’ve published the workflow, every inbound call starts it, even when the editor is closed.',
		},
		properties: [
			{
				displayName: 'Accept Events',
				name: 'eventAuthentication',
				type: 'options',
				options: [
					{
						name: 'Only With a Valid Signature',
						value: 'signature',
						description:
							'Calls requested by “Inbound Call: Get Number to Call” with this credential',
					},
					{
						name: 'Without a Signature',
						value: 'none',
						description: 'Any event in the service’s format, for calls requested in another way',
					},
				],
				default: 'signature',
				description: 'Which events may start the workflow',
			},
			{
				displayName:
					'Without a signature, anyone who knows this URL can start the workflow with a fake call. Set “IP Allowlist”.',
				name: 'unsignedNotice',
				type: 'notice',
				default: '',
				displayOptions: { show: { eventAuthentication: ['none'] } },
			},
			triggerOptionsField,
		],
	};

	methods = { credentialTest: { callVerificationApiTest } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				// n8n reports this error when the workflow is published; later, events would be lost.
				readTriggerSettings(this, readOptions(this));
				return isRegistered(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				registerTrigger(this);
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				unregisterTrigger(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveEvent(this, () => readOptions(this), Date.now());
	}
}
