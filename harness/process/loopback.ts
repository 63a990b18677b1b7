import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Below the range from which the system assigns ports. */
const FIRST_PORT = 20_000;
const PORTS = 6_000;

/**
 * Free ports on the loopback address, all different. Until our process ends, no other one that asks here gets them: a
 * server may use its port much later, and leaves it for a moment when it restarts.
 */
export async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	while (ports.length < count) {
		const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
		if ((await claim(port)) && (await isPortFree(port))) ports.push(port);
	}
	return ports;
}

/**
 * Whoever listens on the twin of a port has claimed it, also from other workers of jest and from a second jest beside
 * this one. Unlike a file, a claim cannot outlive its process, however that ends.
 */
async function claim(port: number): Promise<boolean> {
	const server = await listenOn(port + PORTS);
	server?.unref();
	return server !== undefined;
}

export async function isPortFree(port: number): Promise<boolean> {
	const server = await listenOn(port);
	if (server !== undefined) await close(server);
	return server !== undefined;
}

/** Lets a server listen on a free port of the loopback address, and returns its URL. */
export async function listenOnLoopback(server: Server): Promise<string> {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return `http://127.0.0.1:${port}`;
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

export interface Certificate {
	readonly key: string;
	readonly cert: string;
}

/** Created for each run and valid for one day, so no private key is ever stored. */
export function ownCertificate(subjectAltName = 'IP:127.0.0.1'): Certificate {
	const flags =
		'-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=test';
	const pem = execFileSync(
		'openssl',
		['req', ...flags.split(' '), '-addext', `subjectAltName=${subjectAltName}`, '-keyout', '-'],
		{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
	);
	return { key: block(pem, 'PRIVATE KEY'), cert: block(pem, 'CERTIFICATE') };
}

function block(pem: string, label: string): string {
	const [found] =
		new RegExp(`-----BEGIN ${label}-----.*-----END ${label}-----`, 's').exec(pem) ?? [];
	if (found === undefined) throw new Error(`openssl printed no ${label.toLowerCase()}`);
	return found;
}
