import {
	connect,
	type N8nClient,
	type N8nProgram,
	QueueMode,
	serverPrograms,
	startN8n,
} from '../real-n8n';
import { SETTINGS } from '../queue/settings';
import type { Events } from './results';

/** An n8n that takes events. */
export interface EventStage {
	readonly mode: Events['mode'];
	readonly title: string;
	readonly client: N8nClient;
	/** Where events may be posted to. */
	readonly urls: readonly string[];
	/** The process groups of n8n. */
	readonly groups: readonly number[];
}

export async function inRegularMode<T>(
	program: N8nProgram,
	tarball: string,
	work: (stage: EventStage) => Promise<T>,
): Promise<T> {
	const n8n = await startN8n(program, { packages: [tarball] });
	try {
		return await work({
			mode: 'regular',
			title: 'one process, SQLite',
			client: await connect(n8n),
			urls: [n8n.url],
			groups: [n8n.pid],
		});
	} finally {
		await n8n.stop();
	}
}

export async function inQueueMode<T>(
	program: N8nProgram,
	tarball: string,
	work: (stage: EventStage) => Promise<T>,
): Promise<T> {
	if (!serverPrograms) {
		throw new Error('Queue mode needs PostgreSQL and Redis: "apt install postgresql redis-server"');
	}
	const queueMode = await QueueMode.start({
		program,
		servers: serverPrograms,
		packages: [tarball],
		settings: SETTINGS,
	});
	try {
		const { main, webhooks, workers } = queueMode;
		return await work({
			mode: 'queue',
			title: 'queue mode, 2 web-hook processes, 2 workers, PostgreSQL',
			client: await connect(main),
			urls: webhooks.map(({ url }) => url),
			groups: [main, ...webhooks, ...workers].map(({ pid }) => pid),
		});
	} finally {
		await queueMode.stop();
	}
}
