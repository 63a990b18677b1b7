/** In queue mode, n8n spreads its work over three kinds of processes; in regular mode, the main one does it all. */
export type N8nRole = 'main' | 'webhook' | 'worker';

interface N8nRoleFacts {
	readonly args: readonly string[];
	/** All respond with 200 when the process is ready. 1.x reports readiness before the REST routes exist. */
	readonly readyPaths: readonly string[];
	/** A worker only has a port for health checks, and its own settings for it. */
	readonly settings: (port: number) => Readonly<Record<string, string>>;
}

export const n8nRoles: Readonly<Record<N8nRole, N8nRoleFacts>> = {
	main: {
		args: ['start'],
		readyPaths: ['/healthz/readiness', '/rest/settings'],
		settings: () => ({}),
	},
	webhook: {
		args: ['webhook'],
		readyPaths: ['/healthz/readiness'],
		settings: () => ({}),
	},
	worker: {
		args: ['worker', '--concurrency=10'],
		readyPaths: ['/healthz/readiness'],
		settings: (port) => ({
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		}),
	},
};
