import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { presentedSchemes } from './authentication';
import { controlPage } from './controlPage';
import { exchange } from './exchange';
import { receive, type ReceivedRequest } from './receivedRequest';
import { ServiceError } from './serviceError';
import type { ServiceState } from './serviceState';
import type { WireAnswer } from './wireAnswer';

/** Serves the whole service: every path except the control endpoints. */
export function addServiceRoutes(app: FastifyInstance, service: ServiceState): void {
	app.all('*', async (request, reply) => {
		const received = receive(request);
		if (wantsControlPage(request, received)) return controlPage(service, reply);
		return serve(service, received, request, reply);
	});
}

/** Even a request that the HTTP layer cannot read gets the error object as response. */
export function serveUnreadable(
	service: ServiceState,
	error: ServiceError,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const received = receive(request);
	return serve(service, { ...received, body: { kind: 'unreadable', error } }, request, reply);
}

async function serve(
	service: ServiceState,
	received: ReceivedRequest,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const answer = await exchange(service, received);
	return send(answer, request, reply);
}

function send(answer: WireAnswer, request: FastifyRequest, reply: FastifyReply): FastifyReply {
	if (answer.kind === 'reset') {
		reply.hijack();
		request.raw.socket.resetAndDestroy();
		return reply;
	}
	reply.code(answer.status).headers(answer.headers);
	if (answer.contentType !== undefined) reply.type(answer.contentType);
	// An empty string would get a content type, but "empty" means no content at all here.
	return reply.send(answer.payload === '' ? undefined : answer.payload);
}

function wantsControlPage(request: FastifyRequest, received: ReceivedRequest): boolean {
	const accepts = request.headers.accept ?? '';
	return (
		received.method === '/' &&
		received.verb === 'GET' &&
		accepts.includes('text/html') &&
		presentedSchemes(received).length === 0
	);
}
