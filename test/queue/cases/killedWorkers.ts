import type { IDataObject } from 'n8n-workflow';
import { idempotencyKey } from '../../../nodes/CallVerification/codes/call';
import type { Ledger } from '../../../emulator/emulator';
import { startEmulatedService } from '../../../harness/emulatedService';
import { listWorkflow } from '../../../bench/load/lists';
import { callWebhook, itemsOf, productionUrl, waitUntil } from '../../../harness';
import { untilEnded } from '../executionCounts';
import { actionNode, NODE, type OperationParameters } from '../../../harness/workflows/nodeRunner';
import { systemClock } from '../../../emulator/clock';
import type { Clock } from '../../../emulator/settings';
import { seed, type Stage } from '../stage';

const CALLS = 500;
const FIRST_PHONE = 79_180_000_000;
/** From then on, the service answers nobody until the workers are dead. */
const STRIKE_AFTER = 100;
/** Without a latency, the emulator would not wait at all. */
const LATENCY = 20;
const LIMIT = 300_000;

const NUMBERS = Array.from({ length: CALLS }, (_, index) => String(FIRST_PHONE + index));

/** The operation to run for each number of a list. */
export const CALL_EACH: OperationParameters = {
	resource: 'call',
	operation: 'start',
	phone: '={{ $json.phone }}',
	delivery: 'callerNumber',
	waitForResult: false,
	options: {},
	requestOptions: { concurrency: 10 },
};
const CHECK_EACH: OperationParameters = {
	resource: 'phoneNumber',
	operation: 'check',
	phone: '={{ $json.phone }}',
	simplify: true,
	options: {},
	requestOptions: { concurrency: 10 },
};

/** A list in the middle of which its worker is killed. */
interface KilledList {
	readonly ledger: Ledger;
	readonly made: () => number;
	readonly executionId: () => Promise<string>;
	readonly answerAgain: () => void;
	/** Waits until n8n has noticed, and reruns the list. Returns the output of the second run. */
	readonly runAgain: () => Promise<readonly IDataObject[]>;
	readonly close: () => Promise<void>;
}

/**
 * Three lists at once: calls with the user's own idempotency keys, which a rerun sends again; calls with the node's
 * keys, which contain the execution ID, and a rerun is another execution; and checks, whose paid results are stored
 * with an execution that fails, but not with one whose process dies.
 */
export async function killedWorkers(stage: Stage): Promise<void> {
	const { queueMode } = stage;
	const keys = NUMBERS.map((phone) => ({ phone, unique: idempotencyKey(['list', phone]) }));
	const plain = NUMBERS.map((phone) => ({ phone }));
	const options = { unique: '={{ $json.unique }}' };
	const given = await startList(stage, 'given-keys', keys, { ...CALL_EACH, options });
	const automatic = await startList(stage, 'automatic-keys', plain, CALL_EACH);
	const checks = await startList(stage, 'checks', plain, CHECK_EACH);
	const lists = [given, automatic, checks];
	try {
		await waitUntil(async () => lists.every(({ made }) => made() >= STRIKE_AFTER) || undefined, {
			what: `${STRIKE_AFTER} requests of each list are made`,
			limit: LIMIT,
			longestPause: 20,
			seen: () => lists.map(({ made }) => made()).join(),
		});
		const executions = await Promise.all(lists.map(async (list) => await list.executionId()));
		// Only a worker's log says which executions it runs.
		const workers = queueMode.workers.filter(({ log }) =>
			executions.some((id) => log().includes(`started execution ${id} `)),
		);
		await Promise.all(workers.map(async (worker) => await worker.kill()));
		for (const list of lists) list.answerAgain();
		// Requests in flight when the workers died still arrive.
		await waitUntil(async () => lists.every(({ ledger }) => ledger.inFlight === 0) || undefined, {
			what: 'the service is idle',
			limit: LIMIT,
		});
		const before = lists.map(({ made }) => made());
		expect(Math.max(...before)).toBeLessThan(CALLS);
		await Promise.all(workers.map(async (worker) => await queueMode.replace(worker)));
		const outputs = await Promise.all(lists.map(async (list) => await list.runAgain()));

		seed.report('Killed workers', {
			'made before with given keys, automatic keys, and checks': before.join(),
			'made in the end': lists.map(({ made }) => made()).join(),
			'numbers called twice': [given, automatic].map(calledTwice).join(),
		});
		expect(outputs.map((items) => items.length)).toEqual(lists.map(() => CALLS));
		const [withGiven = 0, withAutomatic = 0, checked = 0] = before;
		expect([given.made(), calledTwice(given)]).toEqual([CALLS, 0]);
		expect(outputs[0]?.filter(({ exists }) => exists === true)).toHaveLength(withGiven);
		expect(calledTwice(automatic)).toBe(withAutomatic);
		expect(checks.made()).toBe(CALLS + checked);
	} finally {
		for (const list of lists) await list.close();
	}
}

async function startList(
	stage: Stage,
	path: string,
	list: ReadonlyArray<{ phone: string; unique?: string }>,
	operation: OperationParameters,
): Promise<KilledList> {
	const { client, queueMode } = stage;
	let answerAgain = (): void => undefined;
	const workersAreDead = new Promise<void>((resolve) => (answerAgain = resolve));
	const clock: Clock = {
		...systemClock,
		sleep: async (ms, signal) => {
			if (made() >= STRIKE_AFTER) await workersAreDead;
			await systemClock.sleep(ms, signal);
		},
	};
	const { emulator, credential } = await startEmulatedService(client, {
		latencyMs: LATENCY,
		clock,
	});
	const { ledger } = emulator;
	const made = () => ledger.calls.length + ledger.checks.length;
	const file = listWorkflow(path, actionNode(credential, operation));
	const { id: workflowId } = await client.workflows.create(file);
	await client.workflows.publish(workflowId);
	const address = productionUrl(queueMode.webhooks[0].url, path);
	const post = async () => await callWebhook(address, { body: { list } });
	await post();
	const executionId = async () => (await client.executions.list(workflowId)).at(-1)?.id ?? '';
	return {
		ledger,
		made,
		answerAgain,
		executionId,
		runAgain: async () => {
			const ended = await untilEnded(stage, workflowId, 1, LIMIT);
			expect(Object.keys(ended)).not.toContain('success');
			// n8n's own retry, if that does anything: if little was saved, it ends with the old error before any node has run.
			const retryId = await client.executions.retry(await executionId());
			const retried = await client.executions.get(retryId);
			const items = retried.nodes[NODE] ? itemsOf(retried, NODE) : [];
			if (items.length > 0) return items;
			const again = await client.executions.startedBy(workflowId, post, { limit: LIMIT });
			return itemsOf(again.execution, NODE);
		},
		close: async () => await emulator.close(),
	};
}

function calledTwice({ ledger: { calls } }: KilledList): number {
	return calls.length - new Set(calls.map(({ phone }) => phone)).size;
}
