import { existsSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';
import {
	filesOf,
	type N8nClient,
	readWorkflowFiles,
	type RunningN8n,
	waitUntil,
	withParameters,
	type WorkflowFile,
} from '..';

const EXAMPLES = join(__dirname, '../../examples');
const TRIGGER = 'When clicking ‘Execute workflow’';
const DATA_TABLE = 'n8n-nodes-base.dataTable';

export interface LargeListSettings {
	readonly freshDays?: number;
	readonly maxTotalCost?: number;
}

const project = z.object({ id: z.string() });
const table = z.object({ id: z.string() });
const tables = z.object({ data: z.array(table) });
const createTable = z.object({
	tableName: z.string(),
	columns: z.object({ column: z.array(z.object({ name: z.string(), type: z.string() })) }),
});

/** The example check-large-list in the user folder of an n8n that may be killed and restarted. */
export class LargeList {
	private executionId = '';
	private startedAt = 0;

	private constructor(
		private readonly folder: string,
		private readonly workflowId: string,
	) {}

	/** Imports the example and enters the values that its notes ask for. */
	static async import(
		client: N8nClient,
		{ userFolder }: Pick<RunningN8n, 'userFolder'>,
		settings: LargeListSettings = {},
	): Promise<LargeList> {
		const folder = filesOf(userFolder);
		const { id } = await client.workflows.create(
			await withTable(client, withSettings(await example(), { folder, ...settings })),
		);
		return new LargeList(folder, id);
	}

	async writeList(csv: string): Promise<void> {
		await writeFile(join(this.folder, 'phones.csv'), csv);
	}

	async start(client: N8nClient): Promise<void> {
		this.startedAt = Date.now();
		this.executionId = await client.workflows.run(this.workflowId, TRIGGER);
	}

	async stop(client: N8nClient): Promise<void> {
		await client.executions.stop(this.executionId);
	}

	/** Returns when the run has written its report. n8n does not save its execution. */
	async finish(client: N8nClient, limit = 300_000): Promise<void> {
		await waitUntil(async () => ((await this.isRunning(client)) ? undefined : true), {
			what: 'the list is checked',
			limit,
			longestPause: 500,
		});
		const report = this.fileOf('phones-report.html');
		if (existsSync(report) && statSync(report).mtimeMs >= this.startedAt) return;
		throw new Error('The run ended without a report: see n8n’s log');
	}

	async run(client: N8nClient, limit?: number): Promise<void> {
		await this.start(client);
		await this.finish(client, limit);
	}

	async checkedRows(): Promise<string[]> {
		const text = await readFile(this.fileOf('phones-checked.csv'), 'utf8');
		return text.replace('\uFEFF', '').trimEnd().split('\r\n');
	}

	fileOf(name: string): string {
		return join(this.folder, name);
	}

	/** n8n returns nothing if it has not saved the execution. */
	async isRunning(client: N8nClient): Promise<boolean> {
		const head = z.object({ status: z.string() }).optional();
		const found = await client.session.get(`/executions/${this.executionId}`, head);
		return found !== undefined && ['new', 'running'].includes(found.status);
	}
}

async function example(): Promise<WorkflowFile> {
	const file = (await readWorkflowFiles(EXAMPLES)).get('check-large-list');
	if (!file) throw new Error('examples/check-large-list.json is missing');
	return file;
}

function withSettings(
	file: WorkflowFile,
	values: LargeListSettings & { folder: string },
): WorkflowFile {
	const settings = file.nodes.find(({ name }) => name === 'Settings')?.parameters?.assignments;
	const { assignments } = z
		.object({
			assignments: z.array(z.object({ name: z.string(), value: z.unknown() }).passthrough()),
		})
		.parse(settings);
	const entered = assignments.map((field) => ({
		...field,
		value: { ...values }[field.name] ?? field.value,
	}));
	return withParameters(file, 'Settings', {
		assignments: { assignments: entered },
	} as INodeParameters);
}

/** n8n 1.x has no node that creates a table, so users create it by hand and choose it in each node. */
async function withTable(client: N8nClient, file: WorkflowFile): Promise<WorkflowFile> {
	if (client.session.line === '2.x') return file;
	const { tableName, columns } = createTable.parse(
		file.nodes.find(({ name }) => name === 'Create Table')?.parameters,
	);
	const id =
		(await tableOf(client))?.id ??
		(
			await client.session.post(
				await tablesPath(client),
				{ name: tableName, columns: columns.column },
				table,
			)
		).id;
	const chosen = { dataTableId: { __rl: true, mode: 'list', value: id } };
	return file.nodes
		.filter(({ type, parameters }) => type === DATA_TABLE && parameters?.dataTableId !== undefined)
		.reduce((changed, { name }) => withParameters(changed, name, chosen), file);
}

async function tablesPath(client: N8nClient): Promise<string> {
	const { id } = await client.session.get('/projects/personal', project);
	return `/projects/${id}/data-tables`;
}

async function tableOf(client: N8nClient): Promise<z.infer<typeof table> | undefined> {
	const { data } = await client.session.get(await tablesPath(client), tables);
	return data[0];
}

/** Backdates the checks by this many days: all of them, or those in the first rows of the table. */
export async function makeOlder(client: N8nClient, days: number, rows?: number): Promise<void> {
	const found = await tableOf(client);
	const filters = [
		{ columnName: 'key', condition: 'neq', value: '~total' },
		...(rows === undefined ? [] : [{ columnName: 'id', condition: 'lte', value: rows }]),
	];
	const checkedAt = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
	await client.session.patch(`${await tablesPath(client)}/${found?.id}/rows`, {
		filter: { type: 'and', filters },
		data: { checked_at: checkedAt },
	});
}
