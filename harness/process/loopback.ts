import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

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
