import { actionNode, triggerNode } from '../../harness/workflows/nodeRunner';
import { productionUrl, type WorkflowFile } from '../../harness';
import { chain, set, webhook } from '../../harness/sampleWorkflow';
import { eventBody, sealQuery } from '../../harness/workflows/inboundEvents';
import type { Post } from '../../harness/workflows/sendEvents';
import type { Stage } from './stage';

/** A workflow that receives an event and calls its number, so that the service's ledger shows what happened to it. */
export interface Rival {
	readonly name: string;
	readonly workflowId: string;
	/** One person's event, to be posted to one of the webhook processes. */
	readonly event: (phone: number, webhookProcess: number) => Post;
}

const OUR_HOOK = 'rival-trigger';
const THEIR_PATH = 'rival-webhook';

export async function publishOurs(stage: Stage): Promise<Rival> {
	const { credential, emulator } = stage.service;
	const workflowId = await publish(
		stage,
		chain(
			'Trigger and call',
			triggerNode(credential, 'Trigger', OUR_HOOK),
			actionNode(credential, {
				resource: 'call',
				operation: 'start',
				phone: '={{ $json.clientNumber }}',
				delivery: 'callerNumber',
				waitForResult: false,
				options: {},
			}),
		),
	);
	return {
		name: 'Trigger and Call Verification',
		workflowId,
		event: (phone, webhookProcess) => ({
			url:
				urlOf(stage, webhookProcess, `${OUR_HOOK}/inbound-call`) +
				sealQuery({ secretKey: emulator.secretKey, target: OUR_HOOK }, phone),
			body: JSON.stringify(eventBody(phone, phone)),
		}),
	};
}

/** The same without our package; with a credential, because n8n treats workflows with credentials differently. */
export async function publishTheirs(stage: Stage): Promise<Rival> {
	const { emulator } = stage.service;
	const { id, name } = await stage.client.credentials.create('Service', 'httpHeaderAuth', {
		name: 'Authorization',
		value: `Bearer ${emulator.secretKey}.${emulator.serviceId}`,
	});
	const begin = webhook(THEIR_PATH);
	const workflowId = await publish(
		stage,
		chain(
			'Web-hook and request',
			{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
			{
				...set('Call', ''),
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					method: 'POST',
					url: `${emulator.url}/v1.0/initCall`,
					authentication: 'genericCredentialType',
					genericAuthType: 'httpHeaderAuth',
					sendBody: true,
					specifyBody: 'json',
					jsonBody: '={"phone": {{ $json.body.clientNumber }} }',
					options: {},
				},
				credentials: { httpHeaderAuth: { id, name } },
			},
		),
	);
	return {
		name: 'Webhook and HTTP Request',
		workflowId,
		event: (phone, webhookProcess) => ({
			url: urlOf(stage, webhookProcess, THEIR_PATH),
			body: JSON.stringify(eventBody(phone, phone)),
		}),
	};
}

async function publish({ client }: Stage, file: WorkflowFile): Promise<string> {
	const { id } = await client.workflows.create(file);
	await client.workflows.publish(id);
	return id;
}

function urlOf({ queueMode }: Stage, webhookProcess: number, path: string): string {
	const { url } = queueMode.webhooks[webhookProcess % 2 === 0 ? 0 : 1];
	return productionUrl(url, path);
}
