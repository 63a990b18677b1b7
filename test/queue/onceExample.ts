import { join } from 'node:path';
import { productionUrl, readWorkflowFiles, type WorkflowFile } from '../real-n8n';
import { CREDENTIAL_TYPE } from '../e2e/service';
import type { EndOfWorkflow } from './endOfWorkflow';
import type { Stage } from './stage';

const FOLDER = join(__dirname, '../../examples/queue-mode');
const TRIGGER = 'Person Has Called';
const LAST = 'Contact Is Verified';
const TABLE = /CREATE TABLE [^`]*/;

interface PublishedExample {
	readonly workflowId: string;
	/** The address of its trigger on each of the web-hook processes. */
	readonly addresses: readonly string[];
}

/**
 * Does with the example what its notes say: makes the table, chooses the credentials, publishes. One node is added at
 * the end, where a user's own step would be; it reports the id of the call.
 */
export async function publishOnceExample(
	{ client, queueMode, service }: Stage,
	end: EndOfWorkflow,
): Promise<PublishedExample> {
	const file = (await readWorkflowFiles(FOLDER)).get('on-inbound-call');
	if (!file) throw new Error(`There is no example in ${FOLDER}`);
	await queueMode.postgres.query(tableOf(file));
	const { port, name } = queueMode.postgres;
	const postgres = await client.credentials.create('Postgres account', 'postgres', {
		host: '127.0.0.1',
		port,
		database: name,
		user: name,
		password: '',
		ssl: 'disable',
	});
	const chosen = { [CREDENTIAL_TYPE]: service.credential, postgres };
	const last = end.node(`={{ $('${TRIGGER}').item.json.callId }}`);
	const { id } = await client.workflows.create({
		...file,
		nodes: [...file.nodes.map((node) => withCredentials(node, chosen)), last],
		connections: {
			...file.connections,
			[LAST]: { main: [[{ node: last.name, type: 'main', index: 0 }]] },
		},
	});
	await client.workflows.publish(id);
	const path = file.nodes.find((node) => node.name === TRIGGER)?.webhookId ?? '';
	return {
		workflowId: id,
		addresses: queueMode.webhooks.map(({ url }) => productionUrl(url, `${path}/inbound-call`)),
	};
}

/** From the note in the example: what a user would copy has to work. */
function tableOf({ nodes }: WorkflowFile): string {
	const contents = nodes.map(({ parameters }) => parameters?.content);
	const notes = contents.filter((content) => typeof content === 'string');
	const statement = notes.map((note) => TABLE.exec(note)?.[0]).find(Boolean);
	if (!statement) throw new Error('No note of the example says how to make the table');
	return statement;
}

function withCredentials(
	node: WorkflowFile['nodes'][number],
	chosen: Readonly<Record<string, { readonly id: string; readonly name: string }>>,
): WorkflowFile['nodes'][number] {
	if (!node.credentials) return node;
	const credentials = Object.fromEntries(
		Object.keys(node.credentials).flatMap((type) => {
			const credential = chosen[type];
			return credential ? [[type, { id: credential.id, name: credential.name }]] : [];
		}),
	);
	return { ...node, credentials };
}
