import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CREDENTIAL_TYPE } from '../emulatedService';
import { webhook, withCredentials } from '../rest/workflowFile';
import {
	callWebhook,
	type Credential,
	filesOf,
	type N8nClient,
	type Postgres,
	productionUrl,
	type RunningN8n,
	waitUntil,
	type WorkflowFile,
	type WorkflowNode,
} from '..';
import { readExample, withCountryCode, withSettings } from './examples';

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
			withSettings(change(await readExample('check-large-list')), {
				folder,
				defaultCountryCode: '7',
				...settings,
			}),
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

const SCHEDULE = 'Every Minute';
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
	const trigger = { ...webhook(path, 'onReceived'), name: SCHEDULE };
	const chosen = { [CREDENTIAL_TYPE]: service, postgres };
	const { id } = await client.workflows.create({
		...file,
		nodes: file.nodes.map((node) => {
			if (node.name === SCHEDULE) return trigger;
			if (node.name === SETTINGS) return withNumbers(node, changes);
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
	return await readExample('check-large-list-workers');
}

function withNumbers(node: WorkflowNode, values: Readonly<Record<string, number>>): WorkflowNode {
	const known = settingsOf(node);
	const unknown = Object.keys(values).filter((name) => !known.some((each) => each.name === name));
	if (unknown.length > 0) throw new Error(`The example has no setting ${unknown.join(' or ')}`);
	const assignments = known.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
	return { ...node, parameters: { ...node.parameters, assignments: { assignments } } };
}

function settingsOf({ parameters }: WorkflowNode): Array<z.infer<typeof setting>> {
	return settings.parse(parameters).assignments.assignments;
}
