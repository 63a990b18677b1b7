import { actionNode } from '../e2e/nodeRunner';
import type { Credential } from '../real-n8n';
import { productionUrl } from '../real-n8n';
import { chain, set, webhook } from '../real-n8n/sampleWorkflow';
import type { Stage } from './stage';

export interface CallToStart {
	readonly phone: string;
	/** The user's idempotency key; without it the node makes one. */
	readonly unique?: string;
}

/** Our node's name in the workflow. */
export const STARTS_CALLS = 'Call Verification';

/** Calls every number of the list that is posted to it. Returns the workflow's id and its address. */
export async function publishListWorkflow(
	{ client, queueMode }: Stage,
	credential: Credential,
	path: string,
): Promise<{ workflowId: string; address: string }> {
	const begin = webhook(path);
	const { id } = await client.workflows.create(
		chain(
			`Call a list (${path})`,
			{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
			{
				...set('Numbers', ''),
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				parameters: { fieldToSplitOut: 'body.calls', options: {} },
			},
			actionNode(credential, {
				resource: 'call',
				operation: 'start',
				phone: '={{ $json.phone }}',
				delivery: 'callerNumber',
				waitForResult: false,
				options: { unique: '={{ $json.unique }}' },
				requestOptions: { concurrency: 10 },
			}),
		),
	);
	await client.workflows.publish(id);
	return { workflowId: id, address: productionUrl(queueMode.webhooks[0].url, path) };
}
