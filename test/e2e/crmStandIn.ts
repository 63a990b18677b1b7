import Fastify from 'fastify';

export interface CrmStandIn {
	readonly url: string;
	/** The changes, in the order received. */
	readonly updates: ReadonlyArray<{ contact: string; values: unknown }>;
	close(): Promise<void>;
}

/** Stands in for a CRM with a REST API, where a workflow updates contacts. */
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
