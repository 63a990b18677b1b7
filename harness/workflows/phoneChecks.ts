import { type N8nClient, type N8nLine, withParameters, type WorkflowFile } from '..';

const TABLE = 'phone_checks';
const TABLE_NODES = ['Kept Results', 'Keep Results', 'Results So Far'];
const COLUMNS = [
	{ name: 'phone', type: 'string' },
	{ name: 'valid', type: 'boolean' },
	{ name: 'operator', type: 'string' },
	{ name: 'country', type: 'string' },
	{ name: 'reason', type: 'string' },
] as const;

/**
 * A recipe that checks the contacts of a CRM, with its data table: in n8n 1.x it has to be created and chosen, as the
 * recipe's note says.
 */
export async function withPhoneChecks(
	file: WorkflowFile,
	{ client, line }: { readonly client: N8nClient; readonly line: N8nLine },
): Promise<WorkflowFile> {
	if (line !== '1.x') return file;
	const value = await client.dataTables.create(TABLE, COLUMNS, []);
	const nodes = file.nodes.map((node) =>
		node.name === 'Create Table' ? { ...node, disabled: true } : node,
	);
	return TABLE_NODES.reduce<WorkflowFile>(
		(workflow, node) =>
			withParameters(workflow, node, { dataTableId: { __rl: true, mode: 'id', value } }),
		{ ...file, nodes },
	);
}
