import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { IConnections } from 'n8n-workflow';
import { z } from 'zod';
import { isTrigger, type WorkflowFile } from './workflows';

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

/** Whether there is anything to publish. */
export function startsByItself({ nodes }: WorkflowFile): boolean {
	return nodes.some(({ type }) => isTrigger(type) && !STARTED_BY_HAND.includes(type));
}
