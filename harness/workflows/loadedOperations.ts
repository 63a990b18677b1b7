import { z } from 'zod';
import type { N8nClient } from '..';
import { ACTION_NODE } from './nodeRunner';

const options = z.array(z.object({ value: z.string() }));
const operationField = z.object({
	name: z.literal('operation'),
	displayOptions: z.object({ show: z.object({ resource: z.array(z.string()) }) }),
	options,
});

/** n8n's own entry, which only recommends the HTTP Request node. */
const ADDED_BY_N8N = '__CUSTOM_API_CALL__';

/** Every operation that n8n has loaded from the package, as "resource.operation". */
export async function loadedOperations(client: N8nClient): Promise<string[]> {
	const types = await client.nodeTypes.ofPackage('n8n-nodes-call-verification');
	const node = types.find(({ name }) => name === ACTION_NODE);
	const properties = z.array(z.unknown()).parse(node?.properties);
	return properties.flatMap((property) => {
		const field = operationField.safeParse(property);
		if (!field.success) return [];
		const { displayOptions, options: operations } = field.data;
		return displayOptions.show.resource.flatMap((resource) =>
			operations
				.filter(({ value }) => value !== ADDED_BY_N8N)
				.map(({ value }) => `${resource}.${value}`),
		);
	});
}
