import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { addControlRoutes } from './controlRoutes';
import type { InboundCalls } from './inboundCalls';
import { errorObject, type Refusal, ServiceError } from './serviceError';
import { addServiceRoutes, serveUnreadable } from './serviceRoutes';
import type { ServiceState } from './serviceState';

export function buildHttpServer(
	service: ServiceState,
	inboundCalls: InboundCalls,
	closing: AbortSignal,
): FastifyInstance {
	const app = Fastify({ forceCloseConnections: true, exposeHeadRoutes: false });

	// Bodies arrive raw, even with GET, so that the emulator itself reports what is wrong with one.
	app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
		done(null, body);
	});

	app.setErrorHandler<FastifyError>((error, request, reply) => {
		if (closing.aborted) {
			reply.hijack();
			request.raw.socket.destroy();
			return reply;
		}
		const status = error.statusCode ?? 500;
		if (error.code?.startsWith('FST_ERR_CTP_')) {
			const failure = new ServiceError(refusalOf(status), error.message);
			return serveUnreadable(service, failure, request, reply);
		}
		return reply.code(status).send(errorObject(status, error.message));
	});

	addControlRoutes(app, service, inboundCalls);
	addServiceRoutes(app, service);
	return app;
}

function refusalOf(httpStatus: number): Refusal {
	if (httpStatus === 413) return 'tooLarge';
	return httpStatus === 415 ? 'contentType' : 'malformed';
}
