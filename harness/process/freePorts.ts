import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the range from which the system assigns ports. While a server restarts, its port is free for a moment, and no
 * other process must get it.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** Free ports on the loopback address, all different because they are held until the last is found. */
export async function freePorts(count: number): Promise<number[]> {
	const held = new Map<number, Server>();
	while (held.size < count) {
		const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
		const server = held.has(port) ? undefined : await listenOn(port);
		if (server !== undefined) held.set(port, server);
	}
	await Promise.all([...held.values()].map(close));
	return [...held.keys()];
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
