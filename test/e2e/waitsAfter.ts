import { type N8nClient, waitUntil } from '../../harness';

/** Comes back when the newest execution sleeps and the named node is behind it; earlier, n8n would not take a call. */
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
