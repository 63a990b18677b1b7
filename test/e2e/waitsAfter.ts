import { type N8nClient, waitUntil } from '../../harness';

/** Resolves once the newest execution waits and the named node has run; before that, n8n would not accept a call. */
export async function waitsAfter(
	{ executions }: N8nClient,
	workflowId: string,
	nodeName: string,
): Promise<void> {
	let seen = 'no execution';
	await waitUntil(
		async () => {
			const [newest] = await executions.list(workflowId);
			if (!newest) return undefined;
			const { status, nodes } = await executions.get(newest.id);
			seen = `${status} after ${Object.keys(nodes).join(', ')}`;
			return status === 'waiting' && nodes[nodeName] ? true : undefined;
		},
		{ what: `the execution waits after "${nodeName}"`, limit: 30_000, seen: () => seen },
	);
}
