import type { WorkflowFile } from './rest/workflows';
import { samplePackage } from './samplePackage';

type SampleNode = WorkflowFile['nodes'][number];

export const manualTrigger = nodeOf('Start', 'n8n-nodes-base.manualTrigger', 1);
export const mark = nodeOf('Mark', samplePackage.nodeType, 1);
export const waitForCall: SampleNode = {
	...nodeOf('Wait', 'n8n-nodes-base.wait', 1.1, { resume: 'webhook' }),
	webhookId: 'e5a1b0b2-6f0c-4c0e-8d7e-2d1a3c4b5e6f',
};

export function webhook(path: string): SampleNode {
	const parameters = { path, httpMethod: 'POST', responseMode: 'lastNode' };
	return { ...nodeOf('Web-hook', 'n8n-nodes-base.webhook', 2, parameters), webhookId: path };
}

export function set(name: string, jsonOutput: string): SampleNode {
	return nodeOf(name, 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput });
}

export function stopWith(errorMessage: string): SampleNode {
	return nodeOf('Stop', 'n8n-nodes-base.stopAndError', 1, { errorMessage });
}

function nodeOf(
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
