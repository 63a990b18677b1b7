import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { INBOUND_CALL_PATH } from './operations/inboundCall/callback';
import { receiveEvent } from './operations/inboundCall/triggerEvent';
import {
	isRegistered,
	registerTrigger,
	triggerPathOf,
	unregisterTrigger,
} from './operations/inboundCall/triggerRegistry';

export class CallVerificationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Call Verification Trigger',
		name: 'callVerificationTrigger',
		icon: {
			light: 'file:../../icons/callVerification.svg',
			dark: 'file:../../icons/callVerification.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: 'On an inbound call',
		description: 'Starts the workflow when a person has called to verify their number',
		eventTriggerDescription: 'Waiting for an inbound call',
		activationMessage:
			'Inbound calls now start this workflow. Use “Inbound Call: Start” to get a number for a person to call.',
		defaults: { name: 'Call Verification Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'callVerificationApi', required: true }],
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
					'To try it: start listening here, paste the test URL as Callback URL of “Inbound Call: Start”, run that node and make the call. When it works, publish the workflow: actions in the same workflow then find this trigger by themselves, others need its production URL.',
				active:
					'This trigger listens on its production URL. Actions in the same workflow find it by themselves; others need that URL as Callback URL of “Inbound Call: Start”. To try changes, listen here and use the test URL.',
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
						description:
							'Events for callbacks that “Inbound Call: Start” made with this credential',
					},
					{
						name: 'Without a Signature',
						value: 'none',
						description: 'Any event in the service’s format, for callbacks made elsewhere',
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
						description:
							'Whether to start the workflow once if the same call is reported again within a day. Each n8n process remembers for itself; the documentation shows a filter that is exact across processes.',
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

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return isTest(this) || isRegistered(globalData(this), this.getNode().id, pathOf(this));
			},
			async create(this: IHookFunctions): Promise<boolean> {
				if (!isTest(this)) registerTrigger(globalData(this), this.getNode().id, pathOf(this));
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				if (!isTest(this)) unregisterTrigger(globalData(this), this.getNode().id);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveEvent(this, Date.now);
	}
}

/** Listening in the editor must not take the production path from the registry. */
function isTest(context: IHookFunctions): boolean {
	return context.getMode() === 'manual';
}

function globalData(context: IHookFunctions) {
	return context.getWorkflowStaticData('global');
}

function pathOf(context: IHookFunctions): string {
	return triggerPathOf(context.getNodeWebhookUrl('default') ?? '');
}
