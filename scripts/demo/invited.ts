import { filesOf, formUrl } from '../../harness';
import type { Invited } from './invitation';
import type { Demo } from './startDemo';

/** The current state: before a later start, the user may have unpublished an example. */
export async function invited({ client, n8n, emulator, workflowIds }: Demo): Promise<Invited> {
	const active = (await client.workflows.list()).filter(({ active }) => active);
	const published = new Map<string, string | undefined>();
	for (const [name, id] of workflowIds) {
		if (!active.some((workflow) => workflow.id === id)) continue;
		const workflow = await client.workflows.get(id);
		published.set(name, hasForm(workflow) ? formUrl(n8n.url, workflow) : undefined);
	}
	return {
		n8nUrl: n8n.url,
		standIn: emulator,
		filesFolder: filesOf(n8n.userFolder),
		published,
	};
}

function hasForm({ nodes }: { readonly nodes: ReadonlyArray<{ readonly type: string }> }): boolean {
	return nodes.some(({ type }) => type === 'n8n-nodes-base.formTrigger');
}
