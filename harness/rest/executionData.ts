import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

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

export type ExecutionFailure = z.infer<typeof failure>;
export type ExecutionItem = z.infer<typeof item>;
export type RunContext = z.infer<typeof runContext>;

export interface ExecutionData {
	readonly error?: ExecutionFailure;
	readonly lastNode?: string;
	/** By node name: one entry for each time the node ran. */
	readonly nodes: Readonly<Record<string, readonly RunContext[]>>;
}

/**
 * Reads the data that n8n stores for an execution: an object graph flattened by the flatted library. Undefined if
 * nothing is stored yet.
 */
export async function decodeExecutionData(flattened: string): Promise<ExecutionData | undefined> {
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
