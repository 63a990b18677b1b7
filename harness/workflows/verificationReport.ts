import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';
import {
	type Credential,
	formUrl,
	type N8nClient,
	type N8nLine,
	withParameters,
	type WorkflowFile,
} from '..';
import { parameterOf, publishExample, readExample, withSavedExecutions } from './examples';

const EXAMPLE = 'verification-report';
const RECORD = 'Record';
const column = z.object({
	name: z.string(),
	type: z.enum(['string', 'number', 'boolean', 'date']),
});

/** As the example calls it. */
export const REPORT_TABLE = 'verification_report';
/** Who may open the report. */
export const OWNER = { user: 'owner', password: 'long and random' };

export interface PublishedReport {
	readonly workflowId: string;
	/** The URL of the form that shows the page. */
	readonly form: string;
}

interface Place {
	readonly client: N8nClient;
	readonly credential: Credential;
	readonly line: N8nLine;
	readonly url: string;
}

/** Sets up the example as its notes say, with its times in UTC, and its table under this name. */
export async function publishReport(
	place: Place,
	prefix: string,
	table = REPORT_TABLE,
): Promise<PublishedReport> {
	const { client, line } = place;
	const httpBasicAuth = await client.credentials.create('Owner', 'httpBasicAuth', OWNER);
	const example = withTable(table, inUtc(withSavedExecutions(await readExample(EXAMPLE))));
	const file = line === '1.x' ? inVersion1(example, await createTable(client, table)) : example;
	const published = await publishExample(EXAMPLE, prefix, place, { httpBasicAuth }, () => file);
	if (line !== '1.x') {
		const { error } = await client.run(published.id, 'Run Once');
		if (error) throw new Error(`The table was not created: ${error.message}`);
	}
	return { workflowId: published.id, form: formUrl(place.url, published.file) };
}

/** The example after its owner has chosen the report in Record and activated that node. */
export function recordingTo(workflowId: string, file: WorkflowFile): WorkflowFile {
	if (!file.nodes.some(({ name }) => name === RECORD)) {
		throw new Error(`“${file.name}” has no node ${RECORD}`);
	}
	const nodes = file.nodes.map((node) =>
		node.name === RECORD ? { ...node, disabled: false } : node,
	);
	const chosen: INodeParameters = { workflowId: { __rl: true, mode: 'list', value: workflowId } };
	return withParameters({ ...file, nodes }, RECORD, chosen);
}

function withTable(name: string, file: WorkflowFile): WorkflowFile {
	return JSON.parse(JSON.stringify(file).replaceAll(REPORT_TABLE, name)) as WorkflowFile;
}

function inUtc(file: WorkflowFile): WorkflowFile {
	return { ...file, settings: { ...file.settings, timezone: 'UTC' } };
}

/** n8n 1.x finds no table by its name, and creates none: there it has to be chosen. */
function inVersion1(file: WorkflowFile, tableId: string): WorkflowFile {
	const deleted = ['Run Once', 'Create Table'];
	const { 'Run Once': _setUp, ...connections } = file.connections;
	const nodes = file.nodes.filter(({ name }) => !deleted.includes(name));
	const chosen: INodeParameters = { dataTableId: { __rl: true, mode: 'id', value: tableId } };
	return ['Save Row', 'Read Rows'].reduce<WorkflowFile>(
		(workflow, node) => withParameters(workflow, node, chosen),
		{ ...file, nodes, connections },
	);
}

/** By hand, with the columns that the note names. */
async function createTable({ dataTables }: N8nClient, name: string): Promise<string> {
	const note = parameterOf(await readExample(EXAMPLE), 'Record note', 'content');
	const [, text = ''] = /^Columns: (.*)\.$/m.exec(note) ?? [];
	const columns = text.split('), ').flatMap((group) => {
		const [, type] = /\((\w+)/.exec(group) ?? [];
		return [...group.matchAll(/`(\w+)`/g)].map(([, name]) => column.parse({ name, type }));
	});
	return await dataTables.create(name, columns, []);
}
