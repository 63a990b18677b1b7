import { productionUrl, type WorkflowFile } from '../../harness';
import { createHeaderCredential } from '../../harness/workflows/loginApi';
import {
	readExample,
	withChosenCredentials,
	withSavedExecutions,
} from '../../harness/workflows/publishedExample';
import { CREDENTIAL_TYPE } from '../../harness/workflows/emulatedService';
import type { EndOfWorkflow } from '../../harness/workflows/endOfWorkflow';
import type { Stage } from './stage';

const TRIGGER = 'Person Has Called';
const LAST = 'Update Contact';
const TABLE = 'Create Table';

interface PublishedExample {
	readonly workflowId: string;
	/** The target that its callbacks are sealed for. */
	readonly target: string;
	/** The trigger's URL on each webhook process. */
	readonly addresses: readonly string[];
}

/**
 * Follows the example's notes: chooses the credentials, creates the table, replaces “Update Contact” with another node,
 * and publishes. That node reports the call ID. The executions are saved, so that they can be counted.
 */
export async function publishOnceExample(
	{ client, queueMode, service }: Stage,
	end: EndOfWorkflow,
): Promise<PublishedExample> {
	const file = withSavedExecutions(await readExample('on-inbound-call-postgres'));
	await queueMode.postgres.query(tableOf(file));
	const postgres = await client.credentials.create(
		'Postgres account',
		'postgres',
		queueMode.postgres.login,
	);
	const httpHeaderAuth = await createHeaderCredential(client, 'Header Auth account');
	const chosen = { [CREDENTIAL_TYPE]: service.credential, postgres, httpHeaderAuth };
	const { nodes, ...rest } = withChosenCredentials(file, chosen);
	const last = { ...end.node(`={{ $('${TRIGGER}').item.json.callId }}`), name: LAST };
	const { id } = await client.workflows.create({
		...rest,
		nodes: nodes.map((node) => (node.name === LAST ? last : node)),
	});
	await client.workflows.publish(id);
	const target = file.nodes.find((node) => node.name === TRIGGER)?.webhookId ?? '';
	return {
		workflowId: id,
		target,
		addresses: queueMode.webhooks.map(({ url }) => productionUrl(url, `${target}/inbound-call`)),
	};
}

function tableOf({ nodes }: WorkflowFile): string {
	const statement = nodes.find((node) => node.name === TABLE)?.parameters?.query;
	if (typeof statement !== 'string') throw new Error('No node of the example makes the table');
	return statement;
}
