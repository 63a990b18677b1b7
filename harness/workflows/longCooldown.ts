import type { INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '..';

/** Of an hour, so that a phone rings once however long a test takes. */
export function withLongCooldown(file: WorkflowFile): WorkflowFile {
	const nodes = file.nodes.map((node) => {
		const options = Object(node.parameters?.options) as INodeParameters;
		if (options.cooldown === undefined) return node;
		return { ...node, parameters: { ...node.parameters, options: { ...options, cooldown: 60 } } };
	});
	return { ...file, nodes };
}
