import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { ownCertificate } from '../../harness/process/ownCertificate';

export interface TlsProxy {
	/** With the sub-path, without a slash at the end. */
	readonly url: string;
	/** What a client must trust to speak with it. */
	readonly certificate: string;
	/** First line of each request, as it came from outside. */
	readonly seen: readonly string[];
	/** Sends on to that server from now on. */
	leadTo(target: string): void;
	close(): Promise<void>;
}

/**
 * A reverse proxy as people put in front of n8n: it ends TLS, takes the sub-path off, and tells n8n by headers who
 * asked for what.
 */
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
