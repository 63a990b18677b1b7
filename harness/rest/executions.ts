import { setTimeout as pause } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { waitUntil } from '../process/waitUntil';
import type { N8nLine } from '../setup/n8nReleases';
import type { RestSession } from './restSession';

const failure = z
	.object({
		message: z.string(),
		description: z.string().nullish(),
		node: z.object({ name: z.string() }).nullish(),
	})
	.transform(({ message, description, node }) => ({
		message,
		description: description ?? undefined,
		node: node?.name,
	}));

const json = z.custom<IDataObject>((value) => typeof value === 'object' && value !== null);
const item = z.object({ json, pairedItem: z.unknown(), binary: z.unknown() });
/** n8n stores an output without items as null or as an empty list; here it is always a list. */
const output = z
	.array(item)
	.nullable()
	.transform((items) => items ?? []);

const runContext = z
	.object({
		executionStatus: z.string().optional(),
		executionTime: z.number(),
		error: failure.optional(),
		hints: z.array(z.object({ message: z.string() }).passthrough()).optional(),
		data: z.record(z.array(output)).optional(),
	})
	.transform(({ executionStatus, executionTime, error, hints, data }) => ({
		status: executionStatus,
		milliseconds: executionTime,
		error,
		hints: (hints ?? []).map(({ message }) => message),
		outputs: data?.main ?? [],
		/** What a sub-node, such as an AI tool, passed to its parent, by connection type. */
		outputsByConnection: data ?? {},
	}));

const runData = z.object({
	resultData: z.object({
		error: failure.optional(),
		lastNodeExecuted: z.string().optional(),
		runData: z.record(z.array(runContext)).default({}),
	}),
});

type ExecutionFailure = z.infer<typeof failure>;
type RunContext = z.infer<typeof runContext>;

interface ExecutionData {
	readonly error?: ExecutionFailure;
	readonly lastNode?: string;
	/** By node name: one entry for each time the node ran. */
	readonly nodes: Readonly<Record<string, readonly RunContext[]>>;
}

/**
 * Reads the data that n8n stores for an execution: an object graph flattened by the flatted library. Undefined if
 * nothing is stored yet.
 */
async function decodeExecutionData(flattened: string): Promise<ExecutionData | undefined> {
	if (flattened === '[]') return undefined;
	// flatted declares its types for ES modules only, so this is the only import TypeScript allows in a CommonJS file.
	const { parse } = await import('flatted');
	const { resultData } = runData.parse(parse(flattened));
	return {
		error: resultData.error,
		lastNode: resultData.lastNodeExecuted,
		nodes: resultData.runData,
	};
}

const head = z.object({
	id: z.coerce.string(),
	status: z.enum([
		'new',
		'running',
		'waiting',
		'success',
		'error',
		'canceled',
		'crashed',
		'unknown',
	]),
	mode: z.string(),
	startedAt: z.string().nullish(),
	stoppedAt: z.string().nullish(),
});
const stored = head.extend({ data: z.string() });
const page = z.object({ results: z.array(head) });

type ExecutionHead = z.infer<typeof head>;
type ExecutionStatus = ExecutionHead['status'];
export type Execution = ExecutionHead & ExecutionData;

const TIME_TO_WRITE_DATA = 250;
const FINISHED: readonly ExecutionStatus[] = ['success', 'error', 'canceled', 'crashed'];

interface WaitOptions {
	/** The statuses to wait for; by default, those of an execution that has ended. */
	readonly until?: readonly ExecutionStatus[];
	/** A node that must be in the data, because 1.x reports the new status before it has written the new data. */
	readonly ran?: string;
	/** Milliseconds. */
	readonly limit?: number;
}

export class Executions {
	constructor(
		private readonly session: RestSession,
		private readonly line: N8nLine,
	) {}

	/** The newest executions of a workflow, newest first. */
	async list(workflowId: string): Promise<ExecutionHead[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const read = async () =>
			(await this.session.get(`/executions?limit=100&filter=${filter}`, page)).results;
		return newestFirst([...(await read()), ...(await read())]);
	}

	async get(id: string): Promise<Execution> {
		const { data, ...rest } = await this.session.get(`/executions/${id}`, stored);
		return { ...rest, ...((await decodeExecutionData(data)) ?? { nodes: {} }) };
	}

	async wait(id: string, { until = FINISHED, ran, limit }: WaitOptions = {}): Promise<Execution> {
		let seen = 'nothing';
		return await waitUntil(
			async () => {
				const { data, ...rest } = await this.session.get(`/executions/${id}`, stored);
				seen = rest.status;
				if (!until.includes(rest.status)) return undefined;
				const decoded = await decodeExecutionData(await this.finalData(id, data));
				const isWritten = ran === undefined || decoded?.nodes[ran] || decoded?.error;
				return isWritten ? decoded && { ...rest, ...decoded } : undefined;
			},
			{ what: `execution ${id} is ${until.join(' or ')}`, limit, seen: () => seen },
		);
	}

	/**
	 * 1.x stores the final status a moment before the final data. Until then the data is outdated, so it is read again
	 * after that moment.
	 */
	private async finalData(id: string, data: string): Promise<string> {
		if (this.line !== '1.x') return data;
		await pause(TIME_TO_WRITE_DATA);
		return (await this.session.get(`/executions/${id}`, stored)).data;
	}

	/** Does something that starts the workflow, and returns its result and the first new execution. */
	async startedBy<T>(
		workflowId: string,
		action: () => Promise<T>,
		options: WaitOptions = {},
	): Promise<{ result: T; execution: Execution }> {
		const before = new Set((await this.list(workflowId)).map(({ id }) => id));
		const result = await action();
		const id = await waitUntil(
			async () => (await this.list(workflowId)).findLast((found) => !before.has(found.id))?.id,
			{
				what: `workflow ${workflowId} has a new execution`,
				limit: options.limit,
				seen: () =>
					`${before.size} earlier executions, and an action that returned ${describe(result)}`,
			},
		);
		return { result, execution: await this.wait(id, options) };
	}

	/** Retries a failed execution with its stored data, waits for the end and returns the new execution's ID. */
	async retry(id: string): Promise<string> {
		const { id: newId } = await this.session.post(`/executions/${id}/retry`, {}, head);
		return newId;
	}

	/** With its files, as n8n does itself when it prunes. */
	async delete(id: string): Promise<void> {
		await this.session.post('/executions/delete', { ids: [id] }, z.unknown());
	}

	async stop(id: string): Promise<void> {
		await this.session.post(`/executions/${id}/stop`, {}, z.unknown());
	}
}

/**
 * n8n reads the running executions and the others side by side, so one that ends or begins to wait meanwhile may be in
 * both, or in neither. Hence two readings; of two entries for an execution, the one read last is right.
 */
function newestFirst(executions: readonly ExecutionHead[]): ExecutionHead[] {
	const eachOnce = new Map(executions.map((execution) => [execution.id, execution]));
	return [...eachOnce.values()].sort((one, other) => Number(other.id) - Number(one.id));
}

/** The items on one output of a node, from the last time it ran. */
export function itemsOf(execution: ExecutionData, nodeName: string, output = 0): IDataObject[] {
	const lastRun = execution.nodes[nodeName]?.at(-1);
	if (!lastRun) {
		const ran = Object.keys(execution.nodes).join(', ') || 'nothing';
		const error = execution.error ? ` The execution failed: ${describe(execution.error)}` : '';
		throw new Error(`Node "${nodeName}" did not run; what ran: ${ran}.${error}`);
	}
	return (lastRun.outputs[output] ?? []).map((item) => item.json);
}

function describe(value: unknown): string {
	return (JSON.stringify(value) ?? String(value)).slice(0, 1000);
}
