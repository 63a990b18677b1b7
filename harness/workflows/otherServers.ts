import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { set } from '../rest/workflowFile';
import type { WorkflowFile } from '..';

/** A web server that is not the verification service, for instance because of a mistyped address. */
export interface OtherServer {
	readonly url: string;
	readonly paths: readonly string[];
	/** All requests, each as one text: first line, headers, body. */
	readonly received: readonly string[];
	close(): void;
}

export const htmlPage: RequestListener = (_request, response) => {
	response
		.writeHead(200, { 'content-type': 'text/html' })
		.end('<!doctype html><title>Welcome</title><h1>It works!</h1>');
};

export const notFound: RequestListener = (_request, response) => {
	response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found');
};

export const outOfService: RequestListener = (_request, response) => {
	response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Service Unavailable</h1>');
};

export function redirectTo(target: string, status = 302): RequestListener {
	return ({ url }, response) => {
		response.writeHead(status, { location: `${target}${url ?? ''}` }).end();
	};
}

export async function startOtherServer(listener: RequestListener): Promise<OtherServer> {
	const paths: string[] = [];
	const received: string[] = [];
	const textOf = ({ method = '', url = '', rawHeaders }: IncomingMessage, body = '') =>
		[`${method} ${url}`, ...rawHeaders, body].join('\n');
	const server: Server = createServer((request, response) => {
		paths.push(request.url ?? '');
		void text(request).then((body) => {
			received.push(textOf(request, body));
			listener(request, response);
		});
	}).listen(0, '127.0.0.1');
	// What a client asks a proxy for if the URL is https.
	server.on('connect', (request, socket) => {
		paths.push(request.url ?? '');
		received.push(textOf(request));
		socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
	});
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, paths, received, close: () => server.close() };
}

/** Replaces the work at the end of a workflow, such as an update in a CRM, and counts what arrives there. */
export interface EndOfWorkflow {
	/** How often each name was reported. */
	readonly arrivals: ReadonlyMap<string, number>;
	/** A last node that reports a name, given as an expression. */
	node(nameExpression: string): WorkflowFile['nodes'][number];
}

export async function withEndOfWorkflow<T>(use: (end: EndOfWorkflow) => Promise<T>): Promise<T> {
	const end = await startEndOfWorkflow();
	try {
		return await use(end);
	} finally {
		await end.close();
	}
}

export async function startEndOfWorkflow(): Promise<EndOfWorkflow & { close(): Promise<void> }> {
	const arrivals = new Map<string, number>();
	const server = createServer((request, response) => {
		const name = new URL(request.url ?? '', 'http://localhost').searchParams.get('name') ?? '';
		arrivals.set(name, (arrivals.get(name) ?? 0) + 1);
		response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		arrivals,
		node: (nameExpression) => ({
			...set('Done', ''),
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `http://127.0.0.1:${port}/`,
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'name', value: nameExpression }] },
				options: {},
			},
		}),
		close: async () => {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
}
