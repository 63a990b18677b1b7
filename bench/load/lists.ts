import type { IDataObject } from 'n8n-workflow';

import {
	callWebhook,
	type N8nClient,
	productionUrl,
	RestError,
	type RunningN8n,
	waitUntil,
	type WorkflowFile,
	type WorkflowNode,
} from '../../harness';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/emulatedService';
import { chain, set, webhook } from '../../harness/rest/workflowFile';
import { actionNode, NODE } from '../../harness/workflows/nodeRunner';
import { peakMemory, resetPeakMemory } from '../processFigures';
import { type EmulatorAccess, type EmulatorProcess, LIMITED, UNLIMITED } from '../services';
import type { ListRun, Lists } from './results';
import { type N8nInFolder, watchHealth } from './stages';

/** A way to check the numbers of a list. */
export interface ListContender {
	readonly name: string;
	/** The node to use, named NODE. A failed item does not end the list. */
	readonly node: (client: N8nClient, service: EmulatorAccess) => Promise<WorkflowNode>;
	readonly isResult: (item: IDataObject) => boolean;
}

const OURS: ListContender = {
	name: 'Call Verification',
	node: async (client, service) => {
		const credential = await client.credentials.create(
			'Service',
			CREDENTIAL_TYPE,
			credentialData(service),
		);
		const parameters = {
			resource: 'phoneNumber',
			operation: 'check',
			phone: '={{ $json.phone }}',
		};
		return { ...actionNode(credential, parameters), onError: 'continueRegularOutput' };
	},
	isResult: ({ valid }) => valid === true,
};

export const AT_ONCE = httpRequest('HTTP Request', {});

/** The node's defaults when batching is added: 50 items, then a pause of a second. */
const BATCHED = httpRequest('HTTP Request, batches of 50 per second', {
	batching: { batch: { batchSize: 50, batchInterval: 1000 } },
});

function httpRequest(name: string, options: IDataObject): ListContender {
	return {
		name,
		node: async (client, { url, secretKey, serviceId }) => {
			const header = { name: 'Authorization', value: `Bearer ${secretKey}.${serviceId}` };
			const credential = await client.credentials.create('Service', 'httpHeaderAuth', header);
			return {
				...set(NODE, ''),
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				credentials: { httpHeaderAuth: { id: credential.id, name: credential.name } },
				parameters: {
					method: 'POST',
					url: `${url}/v1.0/checkPhone`,
					authentication: 'genericCredentialType',
					genericAuthType: 'httpHeaderAuth',
					sendBody: true,
					bodyParameters: { parameters: [{ name: 'phone', value: '={{ $json.phone }}' }] },
					options,
				} as WorkflowNode['parameters'],
				onError: 'continueRegularOutput',
			};
		},
		isResult: ({ error, phone }) => error === undefined && Number(phone) > 0,
	};
}

const LIMIT = 900_000;

/** The numbers of a list: `count` of them, starting with `first`. */
export function phones(count: number, first: number): string[] {
	return Array.from({ length: count }, (_, index) => `+${first + index}`);
}

/** A workflow that passes each number of a posted list to a node. */
export function listWorkflow(path: string, node: WorkflowNode): WorkflowFile {
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
		node: WorkflowNode,
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

const SERVICES = [UNLIMITED, LIMITED];
const FIRST_PHONE = 79_000_000_000;
const WARM_UP = 100;
const FIRST_PHONE_OF_WARM_UP = 79_200_000_000;

/** Each contender on each service with each list, each time in a new n8n. */
export async function measureLists(
	folder: N8nInFolder,
	service: EmulatorProcess,
	sizes: readonly number[],
): Promise<Lists[]> {
	const lists: Lists[] = [];
	for (const { name, title, behaviour } of SERVICES) {
		for (const numbers of sizes) {
			console.log(`Measuring: ${title}, ${numbers} numbers`);
			const measure = async (contender: ListContender): Promise<ListRun> =>
				await folder.during(async (n8n, client) => {
					await service.during({}, async (access) => {
						const node = await contender.node(client, access);
						const list = await PostedList.publish(n8n, client, pathOf('warm-up', n8n), node);
						return await list.run(phones(WARM_UP, FIRST_PHONE_OF_WARM_UP));
					});
					const { traffic, ...run } = await service.during(behaviour, async (access) => {
						const node = await contender.node(client, access);
						const list = await PostedList.publish(n8n, client, pathOf('list', n8n), node);
						return await runWatched(n8n, client, list, contender, numbers);
					});
					const { answered, numbersChecked } = traffic;
					return { ...run, charged: answered, chargedTwice: answered - numbersChecked };
				});
			lists.push({
				service: name,
				title,
				numbers,
				ours: await measure(OURS),
				atOnce: await measure(AT_ONCE),
				batched: await measure(BATCHED),
			});
		}
	}
	return lists;
}

async function runWatched(
	n8n: RunningN8n,
	client: N8nClient,
	list: PostedList,
	{ name, isResult }: ListContender,
	numbers: number,
): Promise<Omit<ListRun, 'charged' | 'chargedTwice'>> {
	resetPeakMemory(n8n.pid);
	const health = watchHealth(n8n.url);
	const { executionId, seconds } = await list.run(phones(numbers, FIRST_PHONE));
	const longestHealthMs = await health.stop();
	const peakBytes = peakMemory(n8n.pid);
	// Only now, because reading a long list also costs n8n time and memory.
	const { nodes } = await client.executions.get(executionId);
	const items = nodes[NODE]?.at(-1)?.outputs[0] ?? [];
	const lost = numbers - items.filter(({ json }) => isResult(json)).length;
	return { name, seconds, lost, longestHealthMs, peakBytes };
}

/** All n8ns share the folder, and a path can belong to only one workflow. */
function pathOf(purpose: string, { pid }: RunningN8n): string {
	return `${purpose}-${pid}`;
}
