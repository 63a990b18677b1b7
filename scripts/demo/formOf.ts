import { formUrl } from '../../test/real-n8n';
import type { Demo } from './startDemo';

/** Where the visitors of an example find its form. */
export async function formOf({ client, n8n, workflowIds }: Demo, name: string): Promise<string> {
	const { nodes } = await client.workflows.get(workflowIds.get(name) ?? '');
	const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	return formUrl(n8n.url, String(trigger?.webhookId));
}
