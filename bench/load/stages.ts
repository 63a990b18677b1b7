import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Agent, request } from 'undici';
import { z } from 'zod';

import {
	connect,
	type N8nClient,
	type N8nProgram,
	QueueMode,
	type RunningN8n,
	serverPrograms,
	startN8n,
	waitUntil,
} from '../../harness';
import { QUEUE_SETTINGS } from '../../harness/queue/queueMode';
import { installPackage } from '../../harness/setup/packages';
import type { Events } from './results';

type Settings = Readonly<Record<string, string>>;

/** A busy machine is no reason to give up. */
export const START_LIMIT = 300_000;

/**
 * A user folder with the package installed once, for one n8n after the other: only a new n8n shows how much memory the
 * work itself takes.
 */
export class N8nInFolder {
	private readonly userFolder = mkdtempSync(join(tmpdir(), 'call-verification-load-'));

	private constructor(private readonly program: N8nProgram) {}

	static async prepare(program: N8nProgram, tarball: string): Promise<N8nInFolder> {
		const folder = new N8nInFolder(program);
		process.on('exit', () => folder.remove());
		await installPackage(tarball, folder.userFolder);
		return folder;
	}

	async start(settings: Settings = {}): Promise<RunningN8n> {
		return await startN8n(this.program, {
			userFolder: this.userFolder,
			startLimit: START_LIMIT,
			settings,
		});
	}

	/** With an n8n of its own for the work. */
	async during<T>(
		work: (n8n: RunningN8n, client: N8nClient) => Promise<T>,
		settings?: Settings,
	): Promise<T> {
		const n8n = await this.start(settings);
		return await stoppedAfter(n8n, async () => await work(n8n, await connect(n8n)));
	}

	remove(): void {
		rmSync(this.userFolder, { recursive: true, force: true });
	}
}

/** Stops the n8n after the work. If that fails, n8n's log is likely to say why. */
export async function stoppedAfter<T>(n8n: RunningN8n, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		console.error(`The end of n8n's log:\n${n8n.log().slice(-3000)}`);
		throw error;
	} finally {
		await n8n.stop();
	}
}

/** Two webhook processes and two workers, for the duration of the measurement. */
export async function inQueueMode<T>(
	program: N8nProgram,
	tarball: string,
	settings: Settings,
	work: (queueMode: QueueMode) => Promise<T>,
): Promise<T> {
	if (!serverPrograms) {
		throw new Error('Queue mode needs PostgreSQL and Redis: apt install postgresql redis-server');
	}
	const queueMode = await QueueMode.start({
		program,
		servers: serverPrograms,
		packages: [tarball],
		settings: { ...QUEUE_SETTINGS, ...settings },
	});
	try {
		return await work(queueMode);
	} finally {
		await queueMode.stop();
	}
}

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
		return await stoppedAfter(n8n, async () => {
			return await work({ client: await connect(n8n), urls: [n8n.url], groups: [n8n.pid] });
		});
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

/** Between two health checks. */
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
