import type { WorkflowFile } from '../../harness';

const NOTE = 'n8n-nodes-base.stickyNote';
const FOLDER = 'Folder';
const READ = 'Read List';

export const OWN_LIST = 'check-your-own-list';

/** "Check a phone list" without the part that overwrites the list with a sample, as its note says for own lists. */
export function ownListOf(example: WorkflowFile): WorkflowFile {
	const sample = nodesBetween(example, FOLDER, READ);
	const nodes = example.nodes
		.filter(({ name }) => !sample.includes(name))
		.filter(({ type, parameters }) => type !== NOTE || !mentions(parameters?.content, sample));
	const connections = Object.fromEntries(
		Object.entries(example.connections).filter(([from]) => !sample.includes(from)),
	);
	return {
		...example,
		name: 'Check your own list',
		nodes,
		connections: {
			...connections,
			[FOLDER]: { main: [[{ node: READ, type: 'main', index: 0 }]] },
		},
	};
}

function mentions(text: unknown, names: readonly string[]): boolean {
	return names.some((name) => String(text).includes(`**${name}**`));
}

/** The nodes on the only path between two nodes. */
function nodesBetween({ connections }: WorkflowFile, from: string, to: string): string[] {
	const passed: string[] = [];
	for (let at = from; ; passed.push(at)) {
		const next = connections[at]?.main?.[0]?.[0]?.node;
		if (next === undefined) throw new Error(`No path leads from "${from}" to "${to}"`);
		if (next === to) return passed;
		at = next;
	}
}
