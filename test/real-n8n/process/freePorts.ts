import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Free ports on the loopback address, all different because they are held until the last is found. */
export async function freePorts(count: number): Promise<number[]> {
	const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
	await Promise.all(
		servers.map(async (server): Promise<unknown> => await once(server, 'listening')),
	);
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	await Promise.all(
		servers.map(async (server): Promise<unknown> => await once(server.close(), 'close')),
	);
	return ports;
}

export async function isPortFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, '127.0.0.1');
	return await once(server, 'listening').then(
		async () => {
			await once(server.close(), 'close');
			return true;
		},
		() => false,
	);
}
