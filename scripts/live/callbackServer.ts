import { createServer, type IncomingMessage } from 'node:http';

import type { Callback } from './liveTest';

const LONGEST_WAIT_MS = 3 * 60_000;

interface CallbackServer extends Callback {
	close(): void;
}

/** Receives the event of an inbound call, and responds as the package does. */
export async function startCallbackServer(url: string, port: number): Promise<CallbackServer> {
	let accept: (event: unknown) => void = () => undefined;
	const received = new Promise<unknown>((resolve) => (accept = resolve));
	const server = createServer((request, response) => {
		void bodyOf(request).then((body) => {
			response.end('OK');
			if (request.method === 'POST') accept(body);
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, resolve);
	});
	return {
		url,
		event: async () => {
			let timer: NodeJS.Timeout | undefined;
			const tooLate = new Promise<undefined>((resolve) => {
				timer = setTimeout(() => resolve(undefined), LONGEST_WAIT_MS);
			});
			return await Promise.race([received, tooLate]).finally(() => clearTimeout(timer));
		},
		close: () => server.close(),
	};
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	try {
		return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
	} catch {
		return 'not JSON';
	}
}
