import Fastify from 'fastify';

export interface CrmStandIn {
	readonly url: string;
	/** What was changed, in the order in which it came. */
	readonly updates: ReadonlyArray<{ contact: string; values: unknown }>;
	close(): Promise<void>;
}

/** Stands for a CRM with a REST API, the one that a workflow tells about its contacts. */
export async function startCrmStandIn(): Promise<CrmStandIn> {
	const updates: Array<{ contact: string; values: unknown }> = [];
	const app = Fastify({ forceCloseConnections: true });
	app.patch<{ Params: { contact: string } }>('/contacts/:contact', ({ params, body }) => {
		updates.push({ contact: params.contact, values: body });
		return { updated: true };
	});
	const url = await app.listen({ port: 0, host: '127.0.0.1' });
	return { url, updates, close: async () => await app.close() };
}
