import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server that is not the verification service, such as a mistyped address leads to. */
export interface OtherServer {
	readonly url: string;
	readonly paths: readonly string[];
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

export function redirectTo(target: string): RequestListener {
	return ({ url }, response) => {
		response.writeHead(302, { location: `${target}${url ?? ''}` }).end();
	};
}

export async function startOtherServer(listener: RequestListener): Promise<OtherServer> {
	const paths: string[] = [];
	const server: Server = createServer((request, response) => {
		paths.push(request.url ?? '');
		listener(request, response);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, paths, close: () => server.close() };
}
