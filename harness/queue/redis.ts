import { mkdir } from 'node:fs/promises';
import { freePorts } from '../process/freePorts';
import { askServer, RestartableServer } from './restartableServer';
import type { ServerPrograms } from './serverPrograms';

export interface Redis {
	readonly server: RestartableServer;
	/** The settings that point n8n to it. */
	readonly settings: Readonly<Record<string, string>>;
}

/** Starts Redis with its defaults, so that it saves its data on a clean stop. */
export async function startRedis({ redis }: ServerPrograms, folder: string): Promise<Redis> {
	await mkdir(folder, { recursive: true });
	const [port = 0] = await freePorts(1);
	const server = new RestartableServer({
		name: 'Redis',
		command: redis,
		args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
		folder,
		port,
		stopSignal: 'SIGTERM',
		isReady: async () => (await askServer(port, 'PING\r\n'))?.startsWith('+PONG') ?? false,
	});
	await server.start();
	return {
		server,
		settings: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
	};
}
