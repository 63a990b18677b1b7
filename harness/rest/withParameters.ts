import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from './workflows';

/** The workflow after a user has entered other values in one of its nodes. */
export function withParameters(
	file: WorkflowFile,
	nodeName: string,
	values: INodeParameters,
): WorkflowFile {
	if (!file.nodes.some(({ name }) => name === nodeName)) {
		throw new Error(`"${file.name}" has no node "${nodeName}"`);
	}
	const nodes = file.nodes.map((node) =>
		node.name === nodeName ? { ...node, parameters: { ...node.parameters, ...values } } : node,
	);
	return { ...file, nodes };
}
