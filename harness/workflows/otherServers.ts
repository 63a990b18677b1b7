import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '../process/loopback';
import { set } from '../rest/workflowFile';
import type { WorkflowNode } from '..';

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
	const server = createServer((request, response) => {
		paths.push(request.url ?? '');
		void text(request).then((body) => {
			received.push(textOf(request, body));
			listener(request, response);
		});
	});
	// What a client asks a proxy for if the URL is https.
	server.on('connect', (request, socket) => {
		paths.push(request.url ?? '');
		received.push(textOf(request));
		socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
	});
	const url = await listenOnLoopback(server);
	return { url, paths, received, close: () => server.close() };
}

/** Replaces the work at the end of a workflow, such as an update in a CRM, and counts what arrives there. */
export interface EndOfWorkflow {
	/** How often each name was reported. */
	readonly arrivals: ReadonlyMap<string, number>;
	/** A last node that reports a name, given as an expression. */
	node(nameExpression: string): WorkflowNode;
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
	const url = await listenOnLoopback(server);
	return {
		arrivals,
		node: (nameExpression) => ({
			...set('Done', ''),
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `${url}/`,
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
