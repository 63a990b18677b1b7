import { z } from 'zod';
import type { DataTable, N8nClient, WorkflowFile } from '../real-n8n';

/** How the example makes its tables in n8n 2.x. */
const maker = z.object({
	resource: z.literal('table'),
	tableName: z.string(),
	columns: z.object({ column: z.array(z.object({ name: z.string(), type: z.literal('string') })) }),
});

export interface OwnTables {
	readonly file: WorkflowFile;
	/** By the names that the example has for them. */
	readonly tables: ReadonlyMap<string, DataTable>;
}

/** Does by hand what n8n 1.x cannot do in a workflow: makes the tables of the example, and chooses them in its nodes. */
export async function withOwnTables(
	{ dataTables }: N8nClient,
	file: WorkflowFile,
	prefix: string,
): Promise<OwnTables> {
	const tables = new Map<string, DataTable>();
	for (const { parameters } of file.nodes) {
		const { success, data } = maker.safeParse(parameters);
		if (!success) continue;
		const columns = data.columns.column.map(({ name }) => name);
		tables.set(data.tableName, await dataTables.create(`${prefix}_${data.tableName}`, columns));
	}
	const nodes = file.nodes.map((node) => {
		const chosen = z.object({ dataTableId: named }).safeParse(node.parameters);
		if (!chosen.success) return node;
		const value = tables.get(chosen.data.dataTableId.value)?.id ?? '';
		const dataTableId = { __rl: true as const, mode: 'id', value };
		return { ...node, parameters: { ...node.parameters, dataTableId } };
	});
	return { file: { ...file, nodes }, tables };
}

const named = z.object({ mode: z.literal('name'), value: z.string() });
