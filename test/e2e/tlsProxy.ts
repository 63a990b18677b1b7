import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { ownCertificate } from '../../harness/process/loopback';

export interface TlsProxy {
	/** With the sub-path, without a trailing slash. */
	readonly url: string;
	/** The certificate that a client must trust. */
	readonly certificate: string;
	/** The request line of each request, as received from outside. */
	readonly seen: readonly string[];
	/** From now on, forwards to that server. */
	leadTo(target: string): void;
	close(): Promise<void>;
}

/** A typical reverse proxy in front of n8n: terminates TLS, strips the sub-path, and sets forwarding headers. */
export async function startTlsProxy(subPath: string): Promise<TlsProxy> {
	const { key, cert } = ownCertificate();
	const seen: string[] = [];
	let target: URL | undefined;

	const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
		const { method = '', url = '', headers, socket } = incoming;
		seen.push(`${method} ${url}`);
		if (target === undefined || !url.startsWith(`${subPath}/`)) {
			outgoing.writeHead(404).end('Nothing here');
			return;
		}
		const onward = forward(new URL(url.slice(subPath.length), target), {
			method,
			// A new connection each time: n8n may close an idle one just as the next request is sent on it.
			agent: false,
			headers: {
				...headers,
				'x-forwarded-for': socket.remoteAddress,
				'x-forwarded-host': headers.host,
				'x-forwarded-proto': 'https',
			},
		});
		onward.once('response', (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		onward.once('error', () => outgoing.destroy());
		incoming.pipe(onward);
	};

	const server = createServer({ key, cert }, pass).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `https://127.0.0.1:${port}${subPath}`,
		certificate: cert,
		seen,
		leadTo: (url) => {
			target = new URL(url);
		},
		close: async () => {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
}
