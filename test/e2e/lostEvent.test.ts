import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, itemsOf, readWorkflowFiles, withParameters } from '../../harness';
import { CREDENTIAL_TYPE } from '../../harness/workflows/emulatedService';
import { withChosenCredentials } from '../../harness/workflows/publishedExample';
import { instances } from './instances';

const RECIPES = join(__dirname, '../../examples/recipes');
/** n8n looks for executions whose time is over once a minute, and this one waits twice. */
const LIMIT = 300_000;
const CALL = { status: true, vendor_id: 7, phone: '7900***0001' };

/** A service that never posts an event, and knows of the call when it is asked for the second time. */
async function startForgetfulService(): Promise<Server> {
	let asked = 0;
	const server = createServer((request, response) => {
		const isInfo = request.url?.endsWith('/getInfo') === true;
		const record = isInfo
			? { ...CALL, call_status: ++asked === 1 ? -1 : 1 }
			: { ...CALL, confirmation_number: '74950000001' };
		request.resume();
		response.setHeader('Content-Type', 'application/json').end(JSON.stringify(record));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return server;
}

describe('the recipe for lost events', () => {
	// All of it is waiting, so all n8ns wait at the same time.
	test.concurrent.each(instances)(
		'finds out in n8n $version that the person has called',
		async ({ line, url }) => {
			const client = await connect({ line, url });
			const service = await startForgetfulService();
			const { port } = service.address() as AddressInfo;
			const credential = await client.credentials.create('Forgetful service', CREDENTIAL_TYPE, {
				baseUrl: `http://127.0.0.1:${port}`,
				secretKey: 'key',
				serviceId: '1',
				authScheme: 'header',
				alternateBaseUrl: '',
				addressMode: 'primary',
			});
			try {
				const recipe = (await readWorkflowFiles(RECIPES)).get('lost-event');
				if (recipe === undefined) throw new Error('examples/recipes/lost-event.json is missing');
				const file = withChosenCredentials(recipe, { [CREDENTIAL_TYPE]: credential });
				const { id } = await client.workflows.create(
					withParameters(file, 'Wait for the Call', { limitWaitTime: 0.02 }),
				);
				const execution = await client.executions.wait(await client.workflows.run(id), {
					ran: 'Verified',
					limit: LIMIT,
				});
				expect(execution.nodes['Wait for the Call']).toHaveLength(2);
				expect(itemsOf(execution, 'Verified')[0]).toMatchObject({ vendor_id: 7, call_status: 1 });
				expect(execution.nodes).not.toHaveProperty('Not Verified');
			} finally {
				await client.credentials.delete(credential);
				service.close();
			}
		},
		LIMIT,
	);
});
