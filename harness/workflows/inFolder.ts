import type { WorkflowFile } from '..';

/** Where the examples look for files by default: n8n's own files folder in Docker. */
const IN_DOCKER = '/home/node/.n8n-files';
const NOTE = 'n8n-nodes-base.stickyNote';

/** The example after a user has entered a folder. The notes on the canvas stay unchanged. */
export function inFolder(file: WorkflowFile, folder: string): WorkflowFile {
	const nodes = file.nodes.map((node) =>
		node.type === NOTE ? node : { ...node, parameters: replaced(node.parameters, folder) },
	);
	return { ...file, nodes };
}

function replaced<T>(parameters: T, folder: string): T {
	// Escaped for JSON, which doubles the backslashes of Windows.
	const escaped = JSON.stringify(folder).slice(1, -1);
	const text = JSON.stringify(parameters ?? {}).replaceAll(IN_DOCKER, () => escaped);
	return JSON.parse(text) as T;
}
