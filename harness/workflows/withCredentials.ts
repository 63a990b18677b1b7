import type { WorkflowFile } from '..';

type Node = WorkflowFile['nodes'][number];

/** The node after a user has chosen the credentials that it asks for. */
export function withCredentials(
	node: Node,
	chosen: Readonly<Record<string, { readonly id: string; readonly name: string }>>,
): Node {
	if (!node.credentials) return node;
	const credentials = Object.fromEntries(
		Object.keys(node.credentials).flatMap((type) => {
			const credential = chosen[type];
			return credential ? [[type, { id: credential.id, name: credential.name }]] : [];
		}),
	);
	return { ...node, credentials };
}
