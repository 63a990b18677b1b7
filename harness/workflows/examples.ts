import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';
import { CREDENTIAL_TYPE } from '../emulatedService';
import { withCredentials } from '../rest/workflowFile';
import {
	type Credential,
	type N8nClient,
	readWorkflowFiles,
	waitUntil,
	withParameters,
	type WorkflowFile,
	type WorkflowNode,
} from '..';

const FOLDER = join(__dirname, '../../examples');

export async function readExample(name: string): Promise<WorkflowFile> {
	const file = (await readWorkflowFiles(FOLDER)).get(name);
	if (!file) throw new Error(`There is no ${name}.json in ${FOLDER}`);
	return file;
}

interface Published {
	readonly id: string;
	readonly file: WorkflowFile;
}

/** Publishes the example as its notes say, with these credentials by type, at addresses that begin with the prefix. */
export async function publishExample(
	name: string,
	prefix: string,
	{ client, credential }: { readonly client: N8nClient; readonly credential: Credential },
	credentials: Readonly<Record<string, Credential>> = {},
	change = (file: WorkflowFile): WorkflowFile => file,
): Promise<Published> {
	const chosen = { [CREDENTIAL_TYPE]: credential, ...credentials };
	const file = withOwnAddresses(
		withChosenCredentials(change(await readExample(name)), chosen),
		prefix,
	);
	const { id } = await client.workflows.create(file);
	await client.workflows.publish(id);
	return { id, file };
}

/** The text in a field of one of the example's nodes. */
export function parameterOf({ nodes }: WorkflowFile, nodeName: string, name: string): string {
	const value = nodes.find((node) => node.name === nodeName)?.parameters?.[name];
	if (typeof value !== 'string') throw new Error(`“${nodeName}” has no text in ${name}`);
	return value;
}

/** The example after a user has chosen these credentials, by type, in all of its nodes. */
export function withChosenCredentials(
	file: WorkflowFile,
	chosen: Parameters<typeof withCredentials>[1],
): WorkflowFile {
	return { ...file, nodes: file.nodes.map((node) => withCredentials(node, chosen)) };
}

const settings = z.object({
	assignments: z.array(z.object({ name: z.string(), value: z.unknown() }).passthrough()),
});

/** The example after a user has entered these values in its node Settings, or in another node with settings. */
export function withSettings(
	file: WorkflowFile,
	values: Readonly<Record<string, unknown>>,
	nodeName = 'Settings',
): WorkflowFile {
	const node = file.nodes.find(({ name }) => name === nodeName);
	const { assignments } = settings.parse(node?.parameters?.assignments);
	const entered = assignments.map((field) => ({
		...field,
		value: values[field.name] ?? field.value,
	}));
	return withParameters(file, nodeName, {
		assignments: { assignments: entered },
	} as INodeParameters);
}

/** The example after a user from Russia has entered the country code, if it has a setting for that. */
export function withCountryCode(file: WorkflowFile): WorkflowFile {
	const code = { defaultCountryCode: '7', default_country_code: '7' };
	const asking = file.nodes.find(({ parameters }) => {
		const { data } = settings.safeParse(parameters?.assignments);
		return data?.assignments.some(({ name }) => name in code);
	});
	return asking ? withSettings(file, code, asking.name) : file;
}

/**
 * The example as the editor imports it, pasted or from a file: with n8n's settings of a new workflow instead of its own,
 * as `test/e2e/importing.test.ts` sees in a browser.
 */
export function asPasted(file: WorkflowFile): WorkflowFile {
	return { ...file, settings: { executionOrder: 'v1' } };
}

/** After the step in the notes of the examples that switches off “Save successful production executions”. */
export function withoutSavedSuccesses(file: WorkflowFile): WorkflowFile {
	return { ...file, settings: { ...file.settings, saveDataSuccessExecution: 'none' } };
}

/** The example with all of its executions saved, which some examples prevent, so that their results can be read. */
export function withSavedExecutions(file: WorkflowFile): WorkflowFile {
	const saved = { saveDataSuccessExecution: 'all', saveManualExecutions: true } as const;
	return { ...file, settings: { ...file.settings, ...saved } };
}

/** The example with its own webhook paths, because two workflows cannot share one. */
export function withOwnAddresses(file: WorkflowFile, prefix: string): WorkflowFile {
	const nodes = file.nodes.map((node): WorkflowNode => {
		if (node.webhookId === undefined) return node;
		const { parameters = {} } = node;
		const options = Object(parameters.options) as INodeParameters;
		return {
			...node,
			webhookId: `${prefix}-${node.webhookId}`,
			parameters: {
				...withOwnPath(parameters, prefix),
				...(parameters.options && { options: withOwnPath(options, prefix) }),
			},
		};
	});
	return { ...file, nodes };
}

/** A webhook has its path in its parameters, a form in its options. */
function withOwnPath(values: INodeParameters, prefix: string): INodeParameters {
	return typeof values.path === 'string' ? { ...values, path: `${prefix}/${values.path}` } : values;
}

/** Where the examples look for files by default: n8n's own files folder in Docker. */
const IN_DOCKER = '/home/node/.n8n-files';
const NOTE = 'n8n-nodes-base.stickyNote';

/** The example after a user has entered a folder. The notes on the canvas stay unchanged. */
export function inFolder(file: WorkflowFile, folder: string): WorkflowFile {
	const nodes = file.nodes.map((node) =>
		node.type === NOTE ? node : { ...node, parameters: replaced(node.parameters, folder) },
	);
	return { ...file, nodes };
}

function replaced<T>(parameters: T, folder: string): T {
	// Escaped for JSON, which doubles the backslashes of Windows.
	const escaped = JSON.stringify(folder).slice(1, -1);
	const text = JSON.stringify(parameters ?? {}).replaceAll(IN_DOCKER, () => escaped);
	return JSON.parse(text) as T;
}

const RECIPES = join(__dirname, '../../examples/recipes');
const CREATE_TABLE = 'Create Table';

const table = z.object({
	tableName: z.string(),
	columns: z.object({
		column: z.array(z.object({ name: z.string(), type: z.enum(['string', 'boolean']) })),
	}),
});

type Chosen = Parameters<typeof withChosenCredentials>[1][string];

/** What n8n 1.x needs to keep a data table in SQLite while several executions write to it. */
export const FOR_DATA_TABLES = { DB_SQLITE_POOL_SIZE: '2' };

/** What a user of a recipe works with. */
interface Place {
	readonly client: N8nClient;
	readonly credential: Chosen;
	readonly line: string;
}

interface Entered {
	readonly settings?: Readonly<Record<string, unknown>>;
	/** Credentials of other services than ours, by type. */
	readonly credentials?: Readonly<Record<string, Chosen>>;
	/** What replaces YOUR-SECRET in the address of a webhook. */
	readonly secret?: string;
	/** Milliseconds between the tries of a node, instead of the recipe's seconds. */
	readonly waitBetweenTries?: number;
}

/** The recipe after a user has done the steps of its first note, but for publishing it. */
export async function setUpRecipe(
	name: string,
	place: Place,
	entered: Entered = {},
): Promise<WorkflowFile> {
	const recipe = (await readWorkflowFiles(RECIPES)).get(name);
	if (!recipe) throw new Error(`There is no ${name}.json in ${RECIPES}`);
	const chosen = { ...entered.credentials, [CREDENTIAL_TYPE]: place.credential };
	const chosenFile = withCountryCode(withChosenCredentials(recipe, chosen));
	const patient = withPauses(
		withSecret(chosenFile, entered.secret ?? ''),
		entered.waitBetweenTries,
	);
	const file = entered.settings ? withSettings(patient, entered.settings) : patient;
	return place.line === '1.x' ? await inVersion1(file, place.client) : file;
}

/** Waits until this many executions of the workflow have succeeded; one that has failed is an error. */
export async function untilSucceeded(
	{ executions }: N8nClient,
	id: string,
	count: number,
): Promise<void> {
	let seen = '';
	await waitUntil(
		async () => {
			const statuses = (await executions.list(id)).map(({ status }) => status);
			seen = statuses.join();
			if (statuses.includes('error')) throw new Error(`An execution has failed: ${seen}`);
			return statuses.filter((status) => status === 'success').length >= count || undefined;
		},
		{ what: `${count} executions have succeeded`, seen: () => seen },
	);
}

/** n8n 1.x has no node that creates a table, and finds none by its name: there it is created by hand and chosen. */
async function inVersion1(file: WorkflowFile, { dataTables }: N8nClient): Promise<WorkflowFile> {
	const create = file.nodes.find(({ name }) => name === CREATE_TABLE)?.parameters;
	if (!create) return file;
	const { tableName, columns } = table.parse(create);
	const id = await dataTables.findOrCreate(tableName, columns.column);
	const chosen = { dataTableId: { __rl: true, mode: 'id', value: id } };
	const nodes = file.nodes.map((node) =>
		node.name === CREATE_TABLE ? { ...node, disabled: true } : node,
	);
	return nodes
		.filter(({ parameters }) => parameters?.dataTableId !== undefined)
		.reduce<WorkflowFile>((workflow, { name }) => withParameters(workflow, name, chosen), {
			...file,
			nodes,
		});
}

function withPauses(file: WorkflowFile, waitBetweenTries: number | undefined): WorkflowFile {
	if (waitBetweenTries === undefined) return file;
	const nodes = file.nodes.map((node) => (node.retryOnFail ? { ...node, waitBetweenTries } : node));
	return { ...file, nodes };
}

function withSecret(file: WorkflowFile, secret: string): WorkflowFile {
	const nodes = file.nodes.map((node) => {
		const path = node.parameters?.path;
		if (typeof path !== 'string') return node;
		return {
			...node,
			parameters: { ...node.parameters, path: path.replace('YOUR-SECRET', secret) },
		};
	});
	return { ...file, nodes };
}
