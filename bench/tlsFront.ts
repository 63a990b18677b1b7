import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';

import type { Certificate } from '../harness/process/ownCertificate';

export interface TlsFront {
	readonly url: string;
	close(): void;
}

/** Terminates TLS and forwards the bytes to a plain HTTP server. */
export async function startTlsFront(target: string, certificate: Certificate): Promise<TlsFront> {
	const { hostname, port } = new URL(target);
	const server = createServer({ ...certificate }, (outside) => {
		const inside = connect(Number(port), hostname);
		outside.pipe(inside).pipe(outside);
		outside.on('error', () => inside.destroy());
		inside.on('error', () => outside.destroy());
	}).listen(0, hostname);
	await once(server, 'listening');
	const address = server.address() as AddressInfo;
	return { url: `https://${hostname}:${address.port}`, close: () => server.close() };
}
