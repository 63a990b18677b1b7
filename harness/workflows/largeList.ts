import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
	filesOf,
	type N8nClient,
	readWorkflowFiles,
	type RunningN8n,
	waitUntil,
	type WorkflowFile,
} from '..';
import { withSettings } from './publishedExample';

const EXAMPLES = join(__dirname, '../../examples');
const TRIGGER = 'When clicking ‘Execute workflow’';

export interface LargeListSettings {
	readonly freshDays?: number;
	readonly maxCostPerRun?: number;
	readonly checksPerPart?: number;
	readonly busyMinutes?: number;
	readonly firstRun?: boolean;
	readonly defaultCountryCode?: string;
}

const head = z.object({ status: z.string() }).optional();

/** The example check-large-list in the user folder of an n8n that may be killed and restarted. */
export class LargeList {
	private executionId = '';

	private constructor(
		private readonly folder: string,
		private readonly workflowId: string,
	) {}

	/** Imports the example and enters the values that its notes ask for. */
	static async import(
		client: N8nClient,
		{ userFolder }: Pick<RunningN8n, 'userFolder'>,
		settings: LargeListSettings = {},
		change = (file: WorkflowFile): WorkflowFile => file,
		folder = filesOf(userFolder),
	): Promise<LargeList> {
		const { id } = await client.workflows.create(
			withSettings(change(await example()), { folder, defaultCountryCode: '7', ...settings }),
		);
		return new LargeList(folder, id);
	}

	async writeList(csv: string): Promise<void> {
		await writeFile(this.fileOf('phones.csv'), csv);
	}

	async start(client: N8nClient): Promise<void> {
		this.executionId = await client.workflows.run(this.workflowId, TRIGGER);
	}

	async stop(client: N8nClient): Promise<void> {
		await client.executions.stop(this.executionId);
	}

	/** Returns why the run failed, or nothing. */
	async end(client: N8nClient, limit = 300_000): Promise<string | undefined> {
		await waitUntil(async () => !(await this.isRunning(client)) || undefined, {
			what: 'the run has ended',
			limit,
			longestPause: 500,
		});
		const found = await client.session.get(`/executions/${this.executionId}`, head);
		if (found === undefined || found.status === 'success') return undefined;
		const { error } = await client.executions.wait(this.executionId);
		return error?.message ?? found.status;
	}

	/** A part that is running goes on after Stop. */
	async lastPart({ executions }: N8nClient, limit: number): Promise<void> {
		const isBusy = async () =>
			(await executions.list(this.workflowId)).some(({ status }) => status === 'running');
		await waitUntil(async () => !(await isBusy()) || undefined, {
			what: 'the last part has ended',
			limit,
			longestPause: 500,
		});
	}

	/** Runs until every row has a result. */
	async run(client: N8nClient, limit?: number): Promise<void> {
		const problem = await this.tryRun(client, limit);
		if (problem !== undefined) throw new Error(`The run failed: ${problem}`);
	}

	async tryRun(client: N8nClient, limit?: number): Promise<string | undefined> {
		await this.start(client);
		return await this.end(client, limit);
	}

	async rowsOf(name: string): Promise<string[]> {
		const text = await readFile(this.fileOf(name), 'utf8');
		return text.replace('\uFEFF', '').trimEnd().split(/\r?\n/);
	}

	async checkedRows(): Promise<string[]> {
		return await this.rowsOf('phones-checked.csv');
	}

	fileOf(name: string): string {
		return join(this.folder, name);
	}

	/** n8n returns nothing if it has not saved the execution. */
	async isRunning(client: N8nClient): Promise<boolean> {
		const found = await client.session.get(`/executions/${this.executionId}`, head);
		return found !== undefined && ['new', 'running'].includes(found.status);
	}
}

async function example(): Promise<WorkflowFile> {
	const file = (await readWorkflowFiles(EXAMPLES)).get('check-large-list');
	if (!file) throw new Error('examples/check-large-list.json is missing');
	return file;
}
