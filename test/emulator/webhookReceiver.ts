import Fastify from 'fastify';

export interface WebhookReceiver {
	readonly url: string;
	readonly received: ReadonlyArray<{ body: unknown; contentType: string | undefined }>;
	close(): Promise<void>;
}

/** Stands in for the client's server, which receives the webhook. */
export async function startWebhookReceiver(
	status: number,
	answer: string,
): Promise<WebhookReceiver> {
	const received: Array<{ body: unknown; contentType: string | undefined }> = [];
	const app = Fastify({ forceCloseConnections: true });
	app.post('/hook', async (request, reply) => {
		received.push({ body: request.body, contentType: request.headers['content-type'] });
		return reply.code(status).send(answer);
	});
	const address = await app.listen({ port: 0, host: '127.0.0.1' });
	return { url: `${address}/hook`, received, close: () => app.close() };
}
