import { z } from 'zod';
import type { RunningN8n } from '../process/startN8n';
import { lineOf } from '../setup/n8nLine';
import { Credentials } from './credentials';
import { DataTables } from './dataTables';
import { Executions } from './executions';
import { NodeTypes } from './nodeTypes';
import { localOwner, type Owner, signIn } from './owner';
import { RestSession } from './restSession';
import { Workflows } from './workflows';

export interface N8nClient {
	/** As n8n itself states it. */
	readonly version: string;
	readonly session: RestSession;
	readonly credentials: Credentials;
	readonly dataTables: DataTables;
	readonly workflows: Workflows;
	readonly executions: Executions;
	readonly nodeTypes: NodeTypes;
}

const settings = z.object({ versionCli: z.string() });

/** Signs in to a running n8n, and creates the owner if there is none yet. */
export async function connect(
	{ url }: Pick<RunningN8n, 'url'>,
	owner: Owner = localOwner,
): Promise<N8nClient> {
	const session = new RestSession(url);
	await signIn(session, owner);
	// n8n tells its version only to those who have signed in.
	const { versionCli: version } = await session.get('/settings', settings);
	return {
		version,
		session,
		credentials: new Credentials(session),
		dataTables: new DataTables(session),
		workflows: new Workflows(session),
		executions: new Executions(session, lineOf(version)),
		nodeTypes: new NodeTypes(session),
	};
}
