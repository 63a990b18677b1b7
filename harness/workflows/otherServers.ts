import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

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
