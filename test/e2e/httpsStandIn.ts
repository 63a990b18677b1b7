import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { ownCertificate } from '../../harness/process/loopback';

export interface HttpsStandIn {
	/** Environment variables that make n8n reach the hosts here, and trust their certificate. */
	readonly settings: Readonly<Record<string, string>>;
	close(): Promise<void>;
}

/** Stands in for hosts on the internet, on loopback, behind a proxy as a company might have one. */
export async function startHttpsStandIn(
	hosts: readonly string[],
	listener: RequestListener,
): Promise<HttpsStandIn> {
	const certificate = ownCertificate(hosts.map((host) => `DNS:${host}`).join());
	const server = createTlsServer(certificate, listener).listen(0, '127.0.0.1');
	const proxy = createServer(listener).listen(0, '127.0.0.1');
	await Promise.all([once(server, 'listening'), once(proxy, 'listening')]);
	// The server no longer tracks a tunnel's connection, but close() waits for it.
	const tunnels = new Set<Duplex>();
	// Every host is this one: nothing reaches the internet.
	proxy.on('connect', (_request, inward) => {
		const outward = connect(portOf(server), '127.0.0.1', () => {
			inward.write('HTTP/1.1 200 Connection established\r\n\r\n');
			outward.pipe(inward).pipe(outward);
		});
		for (const socket of [inward, outward]) {
			tunnels.add(socket);
			socket.on('error', () => socket.destroy());
		}
	});

	const folder = await mkdtemp(join(tmpdir(), 'call-verification-stand-in-'));
	const trusted = join(folder, 'trusted.pem');
	await writeFile(trusted, certificate.cert);
	const address = `http://127.0.0.1:${portOf(proxy)}`;
	return {
		settings: {
			HTTP_PROXY: address,
			HTTPS_PROXY: address,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: trusted,
		},
		close: async () => {
			for (const tunnel of tunnels) tunnel.destroy();
			for (const each of [server, proxy]) {
				each.closeAllConnections();
				await once(each.close(), 'close');
			}
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}
