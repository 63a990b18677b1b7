import { setTimeout as pause } from 'node:timers/promises';

import { Agent, request } from 'undici';

const PAUSE = 50;

export interface HealthWatch {
	/** Ends the watch and returns the longest response time in milliseconds. */
	stop(): Promise<number>;
}

/** Calls n8n's health check again and again, as a load balancer does. */
export function watchHealth(n8nUrl: string): HealthWatch {
	const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
	let isOver = false;
	let longest = 0;
	const watching = (async () => {
		while (!isOver) {
			const asked = performance.now();
			const { statusCode, body } = await request(`${n8nUrl}/healthz`, { dispatcher: agent });
			await body.dump();
			if (statusCode !== 200) throw new Error(`/healthz responded with ${statusCode}`);
			longest = Math.max(longest, performance.now() - asked);
			await pause(PAUSE);
		}
	})();
	// Reported by `stop`; until then, a failure must not be an unhandled rejection.
	watching.catch(() => {});
	return {
		stop: async () => {
			isOver = true;
			await watching;
			await agent.close();
			return longest;
		},
	};
}
