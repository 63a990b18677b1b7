import type { RunningN8n } from '../process/startN8n';
import { Credentials } from './credentials';
import { DataTables } from './dataTables';
import { Executions } from './executions';
import { NodeTypes } from './nodeTypes';
import { localOwner, type Owner, signIn } from './owner';
import { RestSession } from './restSession';
import { Workflows } from './workflows';

export interface N8nClient {
	readonly session: RestSession;
	readonly credentials: Credentials;
	readonly dataTables: DataTables;
	readonly workflows: Workflows;
	readonly executions: Executions;
	readonly nodeTypes: NodeTypes;
}

/** Signs in to a running n8n, and creates the owner if there is none yet. */
export async function connect(
	{ url, line }: Pick<RunningN8n, 'url' | 'line'>,
	owner: Owner = localOwner,
): Promise<N8nClient> {
	const session = new RestSession(url, line);
	await signIn(session, owner);
	return {
		session,
		credentials: new Credentials(session),
		dataTables: new DataTables(session),
		workflows: new Workflows(session),
		executions: new Executions(session),
		nodeTypes: new NodeTypes(session),
	};
}
