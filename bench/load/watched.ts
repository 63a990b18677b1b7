import { setTimeout as pause } from 'node:timers/promises';

import { Agent, request } from 'undici';
import { z } from 'zod';

import { type N8nClient, waitUntil } from '../../harness';

const PAUSE = 50;

export interface Watch {
	/** Ends the watch and returns the longest response time in milliseconds. */
	stop(): Promise<number>;
}

/** Calls n8n's health check again and again, as a load balancer does. */
export function watchHealth(n8nUrl: string): Watch {
	const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
	const watch = watchRepeated(PAUSE, async () => {
		const { statusCode, body } = await request(`${n8nUrl}/healthz`, { dispatcher: agent });
		await body.dump();
		if (statusCode !== 200) throw new Error(`/healthz responded with ${statusCode}`);
	});
	return {
		stop: async () => {
			const longest = await watch.stop();
			await agent.close();
			return longest;
		},
	};
}

/** Asks again and again, with a pause in between. */
export function watchRepeated(pauseMs: number, ask: () => Promise<void>): Watch {
	let isOver = false;
	let longest = 0;
	const watching = (async () => {
		while (!isOver) {
			const asked = performance.now();
			await ask();
			longest = Math.max(longest, performance.now() - asked);
			await pause(pauseMs);
		}
	})();
	// Reported by `stop`; until then, a failure must not be an unhandled rejection.
	watching.catch(() => {});
	return {
		stop: async () => {
			isOver = true;
			await watching;
			return longest;
		},
	};
}

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
