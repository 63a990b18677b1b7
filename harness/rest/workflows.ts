import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { waitUntil } from '../process/waitUntil';
import { RestError, type RestSession } from './restSession';
import { isTrigger, type WorkflowFile } from './workflowFile';

const node = z.object({ name: z.string(), type: z.string() }).passthrough();
const workflow = z
	.object({ id: z.string(), name: z.string(), versionId: z.string(), nodes: z.array(node) })
	.passthrough();
export type Workflow = z.infer<typeof workflow>;

const project = z.object({ id: z.string() });
const listed = z.object({ id: z.string(), name: z.string(), active: z.boolean() });
const startedRun = z.object({ executionId: z.string() });
const waitingRun = z.object({ waitingForWebhook: z.literal(true) });
const publication = z.object({
	status: z.enum(['in_progress', 'not_published', 'published', 'partial', 'failed']),
	triggers: z.array(z.object({ nodeId: z.string(), errorMessage: z.string().nullable() })),
});

export class Workflows {
	private readonly created = new Set<string>();

	constructor(private readonly session: RestSession) {}

	/**
	 * Creates the workflow as the editor's "Import from file" does: with a new ID, unpublished, and with credentials
	 * looked up by name if n8n does not know their IDs.
	 */
	async create({ name, nodes, connections, settings, pinData }: WorkflowFile): Promise<Workflow> {
		// Without pin data, 1.x fails to respond to a call of a test webhook.
		const given = { settings: settings ?? {}, pinData: pinData ?? {} };
		// 1.x only looks up credentials if the request names the project, as its editor does.
		const { id: projectId } = await this.session.get('/projects/personal', project);
		const body = { name, nodes, connections, ...given, active: false, projectId };
		const created = await this.session.post('/workflows', body, workflow);
		this.created.add(created.id);
		return created;
	}

	/** Deletes the workflows that were created here, with their executions. */
	async deleteCreated(): Promise<void> {
		for (const id of this.created) await this.delete(id);
	}

	/** Deletes a workflow with its executions. */
	async delete(id: string): Promise<void> {
		await this.archive(id);
		await this.untilPublicationIs('not_published', id);
		await this.session.delete(`/workflows/${id}`);
		this.created.delete(id);
	}

	/** Newer versions delete only what is archived, which also unpublishes it. */
	private async archive(id: string): Promise<void> {
		await this.session.post(`/workflows/${id}/archive`, {}, z.unknown()).catch((error: unknown) => {
			if (!isUnknownRoute(error)) throw error;
		});
	}

	/** Saves the file over a workflow, as the editor does, and returns the workflow's ID. */
	async replace(id: string, { name, nodes, connections, settings }: WorkflowFile): Promise<string> {
		const { versionId } = await this.get(id);
		const body = { name, nodes, connections, settings: settings ?? {}, versionId };
		await this.session.patch(`/workflows/${id}`, body);
		return id;
	}

	async list(): Promise<Array<z.infer<typeof listed>>> {
		return await this.session.get('/workflows', z.array(listed));
	}

	async get(id: string): Promise<Workflow> {
		return await this.session.get(`/workflows/${id}`, workflow);
	}

	/** Runs the workflow as the editor does, from the named trigger or its only one, and returns the execution's ID. */
	async run(id: string, triggerName?: string): Promise<string> {
		return executionOf(await this.startManually(id, triggerName));
	}

	/** Sends a message in the editor's chat and returns the execution's ID. */
	async chat(id: string, sessionId: string, chatInput: string): Promise<string> {
		const said = { sessionId, action: 'sendMessage', chatInput };
		return executionOf(await this.startManually(id, undefined, said));
	}

	/** Like the editor's "Listen for test event": the named trigger waits for one call of its test URL. */
	async listen(id: string, triggerName?: string): Promise<void> {
		waitingRun.parse(await this.startManually(id, triggerName));
	}

	/** Publishes the current version (1.x calls it activating) and returns when its triggers are listening. */
	async publish(id: string): Promise<void> {
		const { versionId } = await this.get(id);
		await this.setActive(id, 'activate', versionId);
		await this.untilPublicationIs('published', id);
	}

	/** Unpublishes the workflow and returns when its triggers have stopped listening. */
	async unpublish(id: string): Promise<void> {
		const { versionId } = await this.get(id);
		await this.setActive(id, 'deactivate', versionId);
		await this.untilPublicationIs('not_published', id);
	}

	private async setActive(
		id: string,
		action: 'activate' | 'deactivate',
		versionId: string,
	): Promise<void> {
		const path = `/workflows/${id}`;
		await this.session
			.post(`${path}/${action}`, { versionId }, z.unknown())
			.catch(async (error: unknown) => {
				if (!isUnknownRoute(error)) throw error;
				await this.session.patch(path, { active: action === 'activate', versionId });
			});
	}

	private async startManually(
		id: string,
		triggerName?: string,
		triggerItem?: IDataObject,
	): Promise<unknown> {
		const stored = await this.get(id);
		const name = triggerName ?? onlyTriggerOf(stored);
		const body = {
			triggerToStartFrom: { name, ...(triggerItem && { data: triggerRun(triggerItem) }) },
			// 1.x and the first 2.x versions run what the editor sends, later ones what they have stored. The editor has no
			// static data.
			workflowData: { ...stored, staticData: undefined },
		};
		return await this.session.post(`/workflows/${id}/run`, body, z.unknown());
	}

	/** Newer versions respond before the work is done; older ones do the work first and have no such status. */
	private async untilPublicationIs(
		wanted: 'published' | 'not_published',
		id: string,
	): Promise<void> {
		let seen = '';
		await waitUntil(
			async () => {
				const now = await this.publicationOf(id);
				if (now === undefined) return true;
				seen = JSON.stringify(now);
				if (now.status === 'failed' || now.status === 'partial') {
					throw new Error(`Workflow ${id} could not be published: ${seen}`);
				}
				return now.status === wanted ? true : undefined;
			},
			{ what: `workflow ${id} is ${wanted}`, seen: () => seen },
		);
	}

	private async publicationOf(id: string): Promise<z.infer<typeof publication> | undefined> {
		return await this.session
			.get(`/workflows/${id}/publication-status`, publication)
			.catch((error: unknown) => {
				if (isUnknownRoute(error)) return undefined;
				throw error;
			});
	}
}

function isUnknownRoute(error: unknown): boolean {
	return error instanceof RestError && error.isUnknownRoute;
}

function executionOf(answer: unknown): string {
	const started = startedRun.safeParse(answer);
	if (started.success) return started.data.executionId;
	throw new Error(
		`The workflow did not start: n8n returned ${JSON.stringify(answer)}. Its trigger may wait for a webhook call.`,
	);
}

/** The run data of a trigger that has output this item, as n8n stores it. */
function triggerRun(json: IDataObject) {
	const data = { main: [[{ json }]] };
	return { startTime: 0, executionTime: 0, executionStatus: 'success', data, source: [null] };
}

function onlyTriggerOf({ name, nodes }: Workflow): string {
	const triggers = nodes.filter(({ type, disabled }) => isTrigger(type) && !disabled);
	const [only] = triggers;
	if (triggers.length !== 1 || !only) {
		const found = triggers.map((trigger) => trigger.name).join(', ') || 'none';
		throw new Error(`Say which trigger starts "${name}"; it has ${found}.`);
	}
	return only.name;
}
