import { z } from 'zod';

import { type N8nClient, waitUntil } from '../../harness';

const found = z.object({ results: z.array(z.object({ id: z.coerce.string() })) });

const OPEN = ['new', 'running', 'waiting'];
const FAILED = ['error', 'crashed', 'canceled'];

/** Returns when no execution of the workflow is still running. */
export async function untilAllEnded(
	client: N8nClient,
	workflowId: string,
	limit: number,
): Promise<void> {
	let open: string[] = [];
	await waitUntil(
		async () => {
			open = await some(client, workflowId, OPEN);
			return open.length === 0 || undefined;
		},
		{
			what: `all executions of workflow ${workflowId} have ended`,
			limit,
			longestPause: 100,
			seen: () => `executions ${open.join(', ')} have not`,
		},
	);
}

/** How many executions of the workflow have failed, up to one page. */
export async function failures(client: N8nClient, workflowId: string): Promise<number> {
	return (await some(client, workflowId, FAILED)).length;
}

async function some(client: N8nClient, workflowId: string, status: string[]): Promise<string[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId, status }));
	const { results } = await client.session.get(`/executions?limit=100&filter=${filter}`, found);
	return results.map(({ id }) => id);
}
