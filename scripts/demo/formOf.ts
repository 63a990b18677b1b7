import { formUrl } from '../../harness';
import type { Demo } from './startDemo';

/** The URL of an example's form. */
export async function formOf({ client, n8n, workflowIds }: Demo, name: string): Promise<string> {
	return formUrl(n8n.url, await client.workflows.get(workflowIds.get(name) ?? ''));
}
