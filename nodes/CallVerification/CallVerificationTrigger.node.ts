import './n8nFloor';

import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { callVerificationApiTest } from './api/credentialTest';
import { INBOUND_CALL_PATH } from './inbound/callback';
import { receiveEvent } from './inbound/triggerEvent';
import {
	isRegistered,
	isTest,
	registerTrigger,
	unregisterTrigger,
} from './inbound/triggerRegistry';

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
		subtitle: 'On an inbound call',
		description: 'Starts the workflow when a person has called to verify their number',
		eventTriggerDescription: 'Waiting for an inbound call',
		activationMessage:
			'Inbound calls now start this workflow. Next, use “Inbound Call: Start” to get a number, and show it to the person who should call.',
		builderHint: {
			searchHint:
				'Publish the workflow with this trigger first: “Inbound Call: Start” then finds it, in the same workflow by itself, in any other by its production URL. Keep eventAuthentication “signature”, otherwise anybody can forge a call. Use an execution that waits (Inbound Call: Wait) instead when somebody looks at a page meanwhile.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-call-verification.callVerification',
					relationHint: 'Inbound Call: Start asks for the call that this trigger reports',
				},
			],
		},
		defaults: { name: 'Call Verification Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes?.Main ?? 'main'],
		credentials: [
			{ name: 'callVerificationApi', required: true, testedBy: 'callVerificationApiTest' },
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: '',
				path: INBOUND_CALL_PATH,
			},
		],
		triggerPanel: {
			header: 'Waiting for an inbound call',
			executionsHelp: {
				inactive:
					'<b>While you build</b>, listen here, paste the <b>test URL</b> as Callback URL of “Inbound Call: Start”, run that node and call the number it gives you.<br /><br /><b>When it works</b>, publish the workflow. From then on the <b>production URL</b> is open: “Inbound Call: Start” in this workflow finds it by itself, in any other workflow paste it as Callback URL.',
				active:
					'<b>The production URL is open</b>: every inbound call starts the workflow, and you find its runs under Executions. “Inbound Call: Start” in this workflow finds that URL by itself, in any other workflow paste it as Callback URL.<br /><br /><b>To try a change</b>, listen here and use the <b>test URL</b> instead.',
			},
			activationHint:
				'Once the workflow is published, every inbound call starts it, also while nobody looks.',
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
						description: 'Calls that “Inbound Call: Start” has asked for with this credential',
					},
					{
						name: 'Without a Signature',
						value: 'none',
						description:
							'Any event in the service’s format, for calls that something else has asked for',
					},
				],
				default: 'signature',
				description: 'Which events may start the workflow',
			},
			{
				displayName:
					'Without a signature, anybody who learns this URL can start the workflow with an invented call. Restrict the senders or confirm with the service.',
				name: 'unsignedNotice',
				type: 'notice',
				default: '',
				displayOptions: { show: { eventAuthentication: ['none'] } },
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options: [
					{
						displayName: 'Confirm With Service',
						name: 'confirmWithService',
						type: 'boolean',
						default: false,
						description:
							'Whether to look the call up at the service before the workflow starts. An event that the service does not know is refused, so make one call first to see that your service knows inbound calls.',
					},
					{
						displayName: 'Ignore Duplicates',
						name: 'ignoreDuplicates',
						type: 'boolean',
						default: true,
						displayOptions: { show: { '/eventAuthentication': ['none'] } },
						description:
							'Whether to start the workflow only once if the same call is reported again within a day. Each n8n process remembers for itself; the documentation shows a filter that is exact across processes.',
					},
					{
						displayName: 'IP Allowlist',
						name: 'ipAllowlist',
						type: 'string',
						default: '',
						placeholder: 'e.g. 192.0.2.10, 198.51.100.0/24',
						description:
							'Addresses and ranges that events may come from, IPv4 or IPv6. Behind a proxy, set N8N_PROXY_HOPS.',
					},
				],
			},
		],
	};

	methods = { credentialTest: { callVerificationApiTest } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return isTest(this) || isRegistered(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				if (!isTest(this)) registerTrigger(this);
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				if (!isTest(this)) unregisterTrigger(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveEvent(this, Date.now);
	}
}
