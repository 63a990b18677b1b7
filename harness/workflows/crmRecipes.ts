import { join } from 'node:path';
import { z } from 'zod';
import {
	readWorkflowFiles,
	waitUntil,
	withParameters,
	type N8nClient,
	type WorkflowFile,
} from '..';
import { CREDENTIAL_TYPE } from './emulatedService';
import { withChosenCredentials, withCountryCode, withSettings } from './publishedExample';

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

/** What a user of the recipes for CRMs works with. */
interface Place {
	readonly client: N8nClient;
	readonly credential: Chosen;
	readonly line: string;
}

interface Entered {
	readonly settings: Readonly<Record<string, unknown>>;
	/** Credentials of other services than ours, by type. */
	readonly credentials?: Readonly<Record<string, Chosen>>;
	/** What replaces YOUR-SECRET in the address of a webhook. */
	readonly secret?: string;
}

/** The recipe after a user has done the steps of its first note, but for publishing it. */
export async function setUpRecipe(
	name: string,
	place: Place,
	entered: Entered,
): Promise<WorkflowFile> {
	const recipe = (await readWorkflowFiles(RECIPES)).get(name);
	if (!recipe) throw new Error(`There is no ${name}.json in ${RECIPES}`);
	const chosen = { ...entered.credentials, [CREDENTIAL_TYPE]: place.credential };
	const file = withSettings(
		withCountryCode(withChosenCredentials(recipe, chosen)),
		entered.settings,
	);
	const own = withSecret(file, entered.secret ?? '');
	return place.line === '1.x' ? await inVersion1(own, place.client) : own;
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
		{ what: `${count} executions have succeeded`, limit: 120_000, seen: () => seen },
	);
}

/** n8n 1.x has no node that creates a table, and finds none by its name: there it is created by hand and chosen. */
async function inVersion1(file: WorkflowFile, { dataTables }: N8nClient): Promise<WorkflowFile> {
	const create = file.nodes.find(({ name }) => name === CREATE_TABLE)?.parameters;
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
