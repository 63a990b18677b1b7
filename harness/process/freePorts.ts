import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the range from which the system assigns ports. While a server restarts, its port is free for a moment, and no
 * other process must get it.
 */
const FIRST_PORT = 20_000;
/** Workers of jest choose from separate ranges, because they start servers at the same time. */
const RANGE = 1_500;
const RANGES = 8;

/** Never chosen twice: a server may use its port much later. */
const chosen = new Set<number>();

/** Free ports on the loopback address, all different. */
export async function freePorts(count: number): Promise<number[]> {
	const first = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % RANGES) * RANGE;
	const ports: number[] = [];
	while (ports.length < count) {
		const port = first + Math.floor(Math.random() * RANGE);
		if (chosen.has(port)) continue;
		chosen.add(port);
		if (await isPortFree(port)) ports.push(port);
	}
	return ports;
}

export async function isPortFree(port: number): Promise<boolean> {
	const server = await listenOn(port);
	if (server !== undefined) await close(server);
	return server !== undefined;
}

async function listenOn(port: number): Promise<Server | undefined> {
	const server = createServer().listen(port, '127.0.0.1');
	return await once(server, 'listening').then(
		() => server,
		() => undefined,
	);
}

async function close(server: Server): Promise<void> {
	await once(server.close(), 'close');
}
