import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type {
	IConnections,
	INode,
	INodeParameters,
	IPinData,
	IWorkflowSettings,
} from 'n8n-workflow';
import { z } from 'zod';

export type WorkflowNode = Pick<INode, 'name' | 'type'> & Partial<INode>;

/** The part of an exported workflow file that defines the workflow. */
export interface WorkflowFile {
	readonly name: string;
	/** Only n8n's command line uses it; in the editor and over REST, an imported workflow gets a new one. */
	readonly id?: string;
	readonly nodes: readonly WorkflowNode[];
	readonly connections: IConnections;
	readonly settings?: IWorkflowSettings;
	readonly pinData?: IPinData;
}

const workflowFile = z
	.object({
		name: z.string(),
		nodes: z.array(z.object({ name: z.string(), type: z.string() }).passthrough()),
		connections: z.custom<IConnections>((value) => typeof value === 'object' && value !== null),
	})
	.passthrough();

/** The workflow files in a folder, by name without ".json", as a user would choose them under "Import from file". */
export async function readWorkflowFiles(folder: string): Promise<Map<string, WorkflowFile>> {
	const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
	const read = names.map(async (name) => {
		const text = await readFile(join(folder, name), 'utf8');
		return [basename(name, '.json'), workflowFile.parse(JSON.parse(text))] as const;
	});
	return new Map(await Promise.all(read));
}

/**
 * Triggers that only a user in the editor or another workflow starts. A chat can be made public, but is not by default.
 */
const STARTED_BY_HAND = [
	'n8n-nodes-base.manualTrigger',
	'n8n-nodes-base.executeWorkflowTrigger',
	'@n8n/n8n-nodes-langchain.chatTrigger',
];

export function isTrigger(type: string): boolean {
	return /trigger$/i.test(type) || type === 'n8n-nodes-base.webhook';
}

/** Whether there is anything to publish. */
export function startsByItself({ nodes }: WorkflowFile): boolean {
	return nodes.some(({ type }) => isTrigger(type) && !STARTED_BY_HAND.includes(type));
}

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

/** The node after a user has chosen the credentials that it asks for. */
export function withCredentials(
	node: WorkflowNode,
	chosen: Readonly<Record<string, { readonly id: string; readonly name: string }>>,
): WorkflowNode {
	if (!node.credentials) return node;
	const credentials = Object.fromEntries(
		Object.keys(node.credentials).flatMap((type) => {
			const credential = chosen[type];
			return credential ? [[type, { id: credential.id, name: credential.name }]] : [];
		}),
	);
	return { ...node, credentials };
}

export const manualTrigger = nodeOf('Start', 'n8n-nodes-base.manualTrigger', 1);

export function webhook(path: string, responseMode = 'lastNode'): WorkflowNode {
	const parameters = { path, httpMethod: 'POST', responseMode };
	return { ...nodeOf('Webhook', 'n8n-nodes-base.webhook', 2, parameters), webhookId: path };
}

export function set(name: string, jsonOutput: string): WorkflowNode {
	return nodeOf(name, 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput });
}

export function nodeOf(
	name: string,
	type: string,
	typeVersion: number,
	parameters: WorkflowNode['parameters'] = {},
): WorkflowNode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

/** A workflow in which each node feeds the next. */
export function chain(name: string, ...nodes: WorkflowNode[]): WorkflowFile {
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
