import { actionNode, type OperationParameters } from '../../harness/workflows/nodeRunner';
import type { Credential } from '../../harness';
import { productionUrl } from '../../harness';
import { chain, set, webhook } from '../../harness/sampleWorkflow';
import type { Stage } from './stage';

export interface CallToStart {
	readonly phone: string;
	/** The user's idempotency key. */
	readonly unique?: string;
}

/** The operation to run for each number of a list. */
export const CALL_EACH: OperationParameters = {
	resource: 'call',
	operation: 'start',
	phone: '={{ $json.phone }}',
	delivery: 'callerNumber',
	waitForResult: false,
	options: { unique: '={{ $json.unique }}' },
	requestOptions: { concurrency: 10 },
};
export const CHECK_EACH: OperationParameters = {
	resource: 'phoneNumber',
	operation: 'check',
	phone: '={{ $json.phone }}',
	simplify: true,
	options: {},
	requestOptions: { concurrency: 10 },
};

/** A workflow that runs it for every number of a posted list. Returns the workflow's ID and webhook URL. */
export async function publishListWorkflow(
	{ client, queueMode }: Stage,
	credential: Credential,
	path: string,
	operation: OperationParameters,
): Promise<{ workflowId: string; address: string }> {
	const begin = webhook(path);
	const { id } = await client.workflows.create(
		chain(
			`A list (${path})`,
			{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
			{
				...set('Numbers', ''),
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				parameters: { fieldToSplitOut: 'body.calls', options: {} },
			},
			actionNode(credential, operation),
		),
	);
	await client.workflows.publish(id);
	return { workflowId: id, address: productionUrl(queueMode.webhooks[0].url, path) };
}
