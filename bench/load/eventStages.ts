import { connect, type N8nClient, type N8nProgram, startN8n } from '../../harness';
import { inQueueMode } from './inQueueMode';
import { START_LIMIT } from './n8nInFolder';
import type { Events } from './results';

type Settings = Readonly<Record<string, string>>;

/** An n8n that receives events. */
export interface EventStage {
	readonly client: N8nClient;
	/** The base URLs to post events to. */
	readonly urls: readonly string[];
	/** n8n's process groups. */
	readonly groups: readonly number[];
}

/**
 * By default, n8n creates an isolate of its expression engine for each execution, for each credential that a webhook
 * reads, and for each request to a trigger other than its own Webhook node, with or without an expression. A setting
 * makes it wait until there is one.
 */
export const ENGINES: Readonly<Record<Events['engine'], Settings>> = {
	default: {},
	onDemand: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
};

type InMode = <T>(
	program: N8nProgram,
	tarball: string,
	settings: Settings,
	work: (stage: EventStage) => Promise<T>,
) => Promise<T>;

export const MODES: Readonly<Record<Events['mode'], InMode>> = {
	regular: async (program, tarball, settings, work) => {
		const n8n = await startN8n(program, {
			packages: [tarball],
			startLimit: START_LIMIT,
			settings,
		});
		try {
			return await work({ client: await connect(n8n), urls: [n8n.url], groups: [n8n.pid] });
		} finally {
			await n8n.stop();
		}
	},
	queue: async (program, tarball, settings, work) =>
		await inQueueMode(
			program,
			tarball,
			settings,
			async ({ main, webhooks, workers }) =>
				await work({
					client: await connect(main),
					urls: webhooks.map(({ url }) => url),
					groups: [main, ...webhooks, ...workers].map(({ pid }) => pid),
				}),
		),
};
