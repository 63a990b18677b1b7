import { z } from 'zod';
import type { RunningN8n } from '../process/startN8n';
import { waitUntil } from '../process/waitUntil';
import { lineOf } from '../setup/n8nReleases';
import { DataTables } from './dataTables';
import { type Execution, Executions } from './executions';
import { localOwner, type Owner, RestSession, signIn } from './restSession';
import { Workflows } from './workflows';

const credential = z.object({ id: z.string(), name: z.string(), type: z.string() });
export type Credential = z.infer<typeof credential>;

const testResult = z.object({ status: z.enum(['OK', 'Error']), message: z.string() });
type CredentialTestResult = z.infer<typeof testResult>;

type CredentialData = Readonly<Record<string, unknown>>;

class Credentials {
	private readonly created = new Set<Credential>();

	constructor(private readonly session: RestSession) {}

	async create(name: string, type: string, data: CredentialData): Promise<Credential> {
		const created = await this.session.post('/credentials', { name, type, data }, credential);
		this.created.add(created);
		return created;
	}

	/** Deletes the credentials that were created here. */
	async deleteCreated(): Promise<void> {
		for (const each of this.created) {
			await this.delete(each);
			this.created.delete(each);
		}
	}

	async list(): Promise<Credential[]> {
		return await this.session.get('/credentials', z.array(credential));
	}

	/** The stored data, with secrets blanked. */
	async data({ id }: Credential): Promise<CredentialData> {
		const stored = z.object({ data: z.record(z.unknown()) });
		return (await this.session.get(`/credentials/${id}?includeData=true`, stored)).data;
	}

	async update({ id, name, type }: Credential, data: CredentialData): Promise<void> {
		await this.session.patch(`/credentials/${id}`, { name, type, data });
	}

	/** Does what the Test button of the credential form does, with this data instead of the stored data. */
	async test({ id, name, type }: Credential, data: CredentialData): Promise<CredentialTestResult> {
		return await this.session.post(
			'/credentials/test',
			{ credentials: { id, name, type, data } },
			testResult,
		);
	}

	async delete({ id }: Credential): Promise<void> {
		await this.session.delete(`/credentials/${id}`);
	}
}

const nodeType = z
	.object({
		name: z.string(),
		displayName: z.string(),
		version: z.union([z.number(), z.array(z.number())]),
	})
	.passthrough();
const credentialType = z.object({ name: z.string(), displayName: z.string() }).passthrough();

type NodeType = z.infer<typeof nodeType>;
type CredentialType = z.infer<typeof credentialType>;

/** The node types that n8n has loaded, as its editor gets them. Their names start with the package name. */
class NodeTypes {
	constructor(private readonly session: RestSession) {}

	async ofPackage(packageName: string): Promise<NodeType[]> {
		return (await this.all()).filter(({ name }) => name.startsWith(`${packageName}.`));
	}

	/** Different versions of a node may come as different types of the same name. */
	async all(): Promise<NodeType[]> {
		return z.array(nodeType).parse(await this.whole('/types/nodes.json'));
	}

	async credential(name: string): Promise<CredentialType | undefined> {
		const all = z.array(credentialType).parse(await this.whole('/types/credentials.json'));
		return all.find((type) => type.name === name);
	}

	/** n8n serves these files before it has finished writing them, so one may be incomplete. */
	private async whole(path: string): Promise<unknown> {
		return await waitUntil(
			async () => {
				try {
					return await this.session.file(path);
				} catch (error) {
					if (error instanceof SyntaxError) return undefined;
					throw error;
				}
			},
			{ what: `n8n has written ${path}` },
		);
	}
}

export interface N8nClient {
	/** As n8n itself states it. */
	readonly version: string;
	readonly session: RestSession;
	readonly credentials: Credentials;
	readonly dataTables: DataTables;
	readonly workflows: Workflows;
	readonly executions: Executions;
	readonly nodeTypes: NodeTypes;
	/** Runs a workflow as its editor does, and waits until the execution has ended. */
	readonly run: (workflowId: string, triggerName?: string) => Promise<Execution>;
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
	const workflows = new Workflows(session);
	const executions = new Executions(session, lineOf(version));
	return {
		version,
		session,
		credentials: new Credentials(session),
		dataTables: new DataTables(session),
		workflows,
		executions,
		nodeTypes: new NodeTypes(session),
		run: async (id, triggerName) => await executions.wait(await workflows.run(id, triggerName)),
	};
}
