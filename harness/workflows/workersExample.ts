import { join } from 'node:path';
import { z } from 'zod';
import {
	callWebhook,
	type Credential,
	type N8nClient,
	type Postgres,
	productionUrl,
	readWorkflowFiles,
	type WorkflowFile,
} from '..';
import { CREDENTIAL_TYPE } from './emulatedService';
import { webhook } from '../sampleWorkflow';
import { withCountryCode } from './publishedExample';
import { withCredentials } from './withCredentials';

const FOLDER = join(__dirname, '../../examples');
const TRIGGER = 'Every Minute';
const SETTINGS = 'Settings';

const setting = z.object({
	id: z.string(),
	name: z.string(),
	value: z.union([z.number(), z.string()]),
	type: z.string(),
});
const settings = z.object({ assignments: z.object({ assignments: z.array(setting) }) });

export interface PublishedWorkers {
	readonly workflowId: string;
	/** Starts this many executions, as the example's schedule does, but without the minute in between. */
	start(executions: number): Promise<void>;
}

interface Place {
	readonly client: N8nClient;
	/** The base URL for webhooks. */
	readonly url: string;
	readonly path: string;
	readonly service: Credential;
	readonly postgres: Credential;
}

/** Sets up the example as its notes say. A webhook replaces the schedule. */
export async function publishWorkersExample(
	{ client, url, path, service, postgres }: Place,
	changes: Readonly<Record<string, number>> = {},
): Promise<PublishedWorkers> {
	const file = withCountryCode(await workersExample());
	const trigger = { ...webhook(path, 'onReceived'), name: TRIGGER };
	const chosen = { [CREDENTIAL_TYPE]: service, postgres };
	const { id } = await client.workflows.create({
		...file,
		nodes: file.nodes.map((node) => {
			if (node.name === TRIGGER) return trigger;
			if (node.name === SETTINGS) return withSettings(node, changes);
			return withCredentials(node, chosen);
		}),
	});
	await client.workflows.publish(id);
	return {
		workflowId: id,
		start: async (executions) => {
			for (let started = 0; started < executions; started += 1) {
				await callWebhook(productionUrl(url, path), { body: {} });
			}
		},
	};
}

/** Creates the example's tables, or empties them. */
export async function makeWorkersTables({ query }: Postgres): Promise<void> {
	await query(await statementOf('Create Tables'));
	await query('TRUNCATE phone_list, phone_checks, phone_chunks');
}

/** The SQL of one of the example's nodes. */
export async function statementOf(nodeName: string): Promise<string> {
	const { nodes } = await workersExample();
	const statement = nodes.find(({ name }) => name === nodeName)?.parameters?.query;
	if (typeof statement !== 'string') throw new Error(`The example has no SQL in “${nodeName}”`);
	return statement;
}

export async function workersExample(): Promise<WorkflowFile> {
	const file = (await readWorkflowFiles(FOLDER)).get('check-large-list-workers');
	if (!file) throw new Error(`There is no example in ${FOLDER}`);
	return file;
}

type Node = WorkflowFile['nodes'][number];

function withSettings(node: Node, values: Readonly<Record<string, number>>): Node {
	const known = settingsOf(node);
	const unknown = Object.keys(values).filter((name) => !known.some((each) => each.name === name));
	if (unknown.length > 0) throw new Error(`The example has no setting ${unknown.join(' or ')}`);
	const assignments = known.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
	return { ...node, parameters: { ...node.parameters, assignments: { assignments } } };
}

function settingsOf({ parameters }: Node): Array<z.infer<typeof setting>> {
	return settings.parse(parameters).assignments.assignments;
}
