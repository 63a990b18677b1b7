import { type N8nClient, waitUntil } from '../../harness';

/** Resolves once the newest execution waits and the named node has run; before that, n8n would not accept a call. */
export async function waitsAfter(
	{ executions }: N8nClient,
	workflowId: string,
	nodeName: string,
): Promise<void> {
	const begun = async () => (await executions.list(workflowId))[0];
	const { id } = await waitUntil(begun, { what: 'the workflow has begun' });
	await executions.wait(id, { until: ['waiting'], ran: nodeName });
}
