import type { WorkflowFile } from './rest/workflows';

type SampleNode = WorkflowFile['nodes'][number];

export const manualTrigger = nodeOf('Start', 'n8n-nodes-base.manualTrigger', 1);

export function webhook(path: string, responseMode = 'lastNode'): SampleNode {
	const parameters = { path, httpMethod: 'POST', responseMode };
	return { ...nodeOf('Webhook', 'n8n-nodes-base.webhook', 2, parameters), webhookId: path };
}

export function set(name: string, jsonOutput: string): SampleNode {
	return nodeOf(name, 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput });
}

export function nodeOf(
	name: string,
	type: string,
	typeVersion: number,
	parameters: SampleNode['parameters'] = {},
): SampleNode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

/** A workflow in which each node feeds the next. */
export function chain(name: string, ...nodes: SampleNode[]): WorkflowFile {
	const connections: WorkflowFile['connections'] = {};
	nodes.slice(1).forEach((next, position) => {
		const previous = nodes[position]?.name ?? '';
		connections[previous] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
	});
	return { name, nodes, connections };
}

/** Chains that share a workflow, named after the first. */
export function sideBySide(first: WorkflowFile, second: WorkflowFile): WorkflowFile {
	return {
		...first,
		nodes: [...first.nodes, ...second.nodes],
		connections: { ...first.connections, ...second.connections },
	};
}
