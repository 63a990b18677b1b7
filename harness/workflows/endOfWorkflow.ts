import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WorkflowFile } from '..';
import { set } from '../sampleWorkflow';

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
