import Fastify, {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
} from 'fastify';
import { errorObject, ServiceError } from '../service/refusals';
import type { Refusal } from '../settings';
import type { WireAnswer } from './answers';
import { receive, type ReceivedRequest } from './request';

/** Serves the whole service, on every path that has no route of its own. */
export function buildHttpServer(
	answer: (received: ReceivedRequest) => Promise<WireAnswer>,
	closing: AbortSignal,
): FastifyInstance {
	const app = Fastify({ forceCloseConnections: true, exposeHeadRoutes: false });

	// Bodies arrive raw, even with GET, so that the emulator itself reports what is wrong with one.
	app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
		done(null, body);
	});

	app.all('*', async (request, reply) => send(await answer(receive(request)), request, reply));

	app.setErrorHandler<FastifyError>(async (error, request, reply) => {
		if (closing.aborted) {
			reply.hijack();
			request.raw.socket.destroy();
			return reply;
		}
		const status = error.statusCode ?? 500;
		if (error.code?.startsWith('FST_ERR_CTP_')) {
			// Even a request that the HTTP layer cannot read gets the error object as response.
			const failure = new ServiceError(refusalOf(status), error.message);
			const received = {
				...receive(request),
				body: { kind: 'unreadable', error: failure },
			} as const;
			return send(await answer(received), request, reply);
		}
		return reply.code(status).send(errorObject(status, error.message));
	});
	return app;
}

function refusalOf(httpStatus: number): Refusal {
	if (httpStatus === 413) return 'tooLarge';
	return httpStatus === 415 ? 'contentType' : 'malformed';
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
