import { NODE } from '../../harness/workflows/nodeRunner';
import {
	callWebhook,
	type N8nClient,
	productionUrl,
	RestError,
	type RunningN8n,
	waitUntil,
	type WorkflowFile,
} from '../../harness';
import { chain, set, webhook } from '../../harness/sampleWorkflow';

const LIMIT = 900_000;

/** The numbers of a list: `count` of them, starting with `first`. */
export function phones(count: number, first: number): string[] {
	return Array.from({ length: count }, (_, index) => `+${first + index}`);
}

/** A workflow that passes each number of a posted list to a node. */
export function listWorkflow(path: string, node: WorkflowFile['nodes'][number]): WorkflowFile {
	const begin = webhook(path);
	return chain(
		`List (${path})`,
		{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
		{
			...set('Numbers', ''),
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'body.list', options: {} },
		},
		{ ...node, name: NODE },
	);
}

export function listBody(list: readonly string[]): { list: Array<{ phone: string }> } {
	return { list: list.map((phone) => ({ phone })) };
}

export class PostedList {
	private constructor(
		private readonly client: N8nClient,
		private readonly workflowId: string,
		private readonly address: string,
	) {}

	static async publish(
		n8n: RunningN8n,
		client: N8nClient,
		path: string,
		node: WorkflowFile['nodes'][number],
	): Promise<PostedList> {
		return await PostedList.publishWorkflow(n8n, client, path, listWorkflow(path, node));
	}

	static async publishWorkflow(
		{ url }: RunningN8n,
		client: N8nClient,
		path: string,
		workflow: WorkflowFile,
	): Promise<PostedList> {
		const { id } = await client.workflows.create(workflow);
		await client.workflows.publish(id);
		return new PostedList(client, id, productionUrl(url, path));
	}

	/**
	 * Runs the list to its end and returns how long n8n took, by its own clock. Asks only for the heads of executions,
	 * because their data would be as much work as the list.
	 */
	async run(
		list: readonly string[] = [],
	): Promise<{ executionId: string; status: string; seconds: number }> {
		const before = await this.newest();
		await callWebhook(this.address, { body: listBody(list) });
		let seen = 'nothing';
		const { id, status, startedAt, stoppedAt } = await waitUntil(
			async () => {
				const now = await this.newest();
				seen = JSON.stringify(now);
				const isNew = now !== undefined && now.id !== before?.id;
				return isNew && ['success', 'error', 'crashed'].includes(now.status) ? now : undefined;
			},
			{ what: 'the list is done', limit: LIMIT, longestPause: 1_000, seen: () => seen },
		);
		const seconds = (Date.parse(stoppedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
		return { executionId: id, status, seconds };
	}

	/** Undefined while n8n is too busy to respond, as its own HTTP Request node makes it with long lists. */
	private async newest() {
		try {
			const [newest] = await this.client.executions.list(this.workflowId);
			return newest;
		} catch (error) {
			if (error instanceof RestError && error.status === 503) return undefined;
			throw error;
		}
	}
}
