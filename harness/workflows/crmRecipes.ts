import { join } from 'node:path';
import { readWorkflowFiles, withParameters, type N8nClient, type WorkflowFile } from '..';
import { CREDENTIAL_TYPE } from './emulatedService';
import { withChosenCredentials, withSettings } from './publishedExample';

const RECIPES = join(__dirname, '../../examples/recipes');
const CREATE_TABLE = 'Create Table';

type Column = Parameters<N8nClient['dataTables']['create']>[1][number];
type Chosen = Parameters<typeof withChosenCredentials>[1][string];

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
	const file = withSettings(withChosenCredentials(recipe, chosen), entered.settings);
	const own = withSecret(file, entered.secret ?? '');
	return place.line === '1.x' ? await inVersion1(own, place.client) : own;
}

/** n8n 1.x has no node that creates a table, and finds none by its name: there it is created by hand and chosen. */
async function inVersion1(file: WorkflowFile, { dataTables }: N8nClient): Promise<WorkflowFile> {
	const create = file.nodes.find(({ name }) => name === CREATE_TABLE)?.parameters;
	const { column } = Object(create?.columns) as { column: Column[] };
	const id = await dataTables.findOrCreate(String(create?.tableName), column);
	const chosen = { dataTableId: { __rl: true, mode: 'id', value: id } };
	const nodes = file.nodes.map((node) =>
		node.name === CREATE_TABLE ? { ...node, disabled: true } : node,
	);
	return nodes
		.filter(({ parameters }) => parameters?.dataTableId !== undefined)
		.reduce((workflow, { name }) => withParameters(workflow, name, chosen), { ...file, nodes });
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
