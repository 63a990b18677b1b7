import type { IDataObject } from 'n8n-workflow';
import { idempotencyKey } from '../../../nodes/CallVerification/codes/callGuards';
import type { Ledger } from '../../../emulator/ledger';
import { startEmulatedService } from '../../../harness/workflows/emulatedService';
import { callWebhook, itemsOf, type RunningN8n, waitUntil } from '../../../harness';
import { untilEnded } from '../executionCounts';
import { NODE, type OperationParameters } from '../../../harness/workflows/nodeRunner';
import { CALL_EACH, type CallToStart, CHECK_EACH, publishListWorkflow } from '../listWorkflow';
import { report } from '../seed';
import type { Stage } from '../stage';

const CALLS = 500;
const FIRST_PHONE = 79_180_000_000;
/** At this latency the list takes five seconds: enough time to kill the worker in the middle. */
const LATENCY = 100;
const STRIKE_AFTER = 150;
const LIMIT = 300_000;

interface Rerun {
	readonly madeBefore: number;
	/** What reran the list: n8n's retry of the execution, or a new request with the same list. */
	readonly by: 'retry' | 'request';
	readonly ledger: Ledger;
	/** The output of the second run. */
	readonly items: readonly IDataObject[];
}

/** The user's own idempotency keys: a rerun of the list sends the same ones. */
export async function killedWorkerStartsNoSecondCall(stage: Stage): Promise<void> {
	const calls = numbers().map((phone) => ({ phone, unique: idempotencyKey(['list', phone]) }));
	const run = await killAndRunAgain(stage, 'given-keys', calls, CALL_EACH);
	const { madeBefore, ledger, items } = run;

	reportCalls('Killed worker, given keys', run);
	expect(ledger.calls).toHaveLength(CALLS);
	expect(calledTwice(ledger)).toBe(0);
	expect(items).toHaveLength(CALLS);
	expect(items.filter(({ exists }) => exists === true)).toHaveLength(madeBefore);
}

/** The node's automatic keys contain the execution ID, and a rerun is another execution. */
export async function automaticKeysEndWithTheirExecution(stage: Stage): Promise<void> {
	const calls = numbers().map((phone) => ({ phone }));
	const withoutKeys = { ...CALL_EACH, options: {} };
	const run = await killAndRunAgain(stage, 'automatic-keys', calls, withoutKeys);
	const { madeBefore, ledger, items } = run;

	reportCalls('Killed worker, automatic keys', run);
	expect(items).toHaveLength(CALLS);
	expect(calledTwice(ledger)).toBe(madeBefore);
}

/** Paid results are stored with an execution that fails, but not with one whose process dies. */
export async function killedWorkerLosesPaidChecks(stage: Stage): Promise<void> {
	const list = numbers().map((phone) => ({ phone }));
	const { madeBefore, ledger, items } = await killAndRunAgain(stage, 'checks', list, CHECK_EACH);

	report('Killed worker, checks', {
		'paid before the kill': madeBefore,
		paid: ledger.checks.length,
	});
	expect(items).toHaveLength(CALLS);
	expect(ledger.checks).toHaveLength(CALLS + madeBefore);
}

/**
 * Kills the worker in the middle of the list, waits until n8n has noticed, and reruns the list: by n8n's retry if that
 * does anything, which depends on how much of the execution n8n could save, otherwise by posting the list again.
 */
async function killAndRunAgain(
	stage: Stage,
	path: string,
	calls: readonly CallToStart[],
	operation: OperationParameters,
): Promise<Rerun> {
	const { client, queueMode } = stage;
	const { emulator, credential } = await startEmulatedService(client, { latencyMs: LATENCY });
	try {
		const { workflowId, address } = await publishListWorkflow(stage, credential, path, operation);
		await callWebhook(address, { body: { calls } });
		const { ledger } = emulator;
		const made = () => ledger.calls.length + ledger.checks.length;
		await waitUntil(async () => made() >= STRIKE_AFTER || undefined, {
			what: `${STRIKE_AFTER} calls or checks are made`,
			limit: LIMIT,
			longestPause: 20,
			seen: () => String(made()),
		});
		const [execution] = await client.executions.list(workflowId);
		const worker = workerOf(queueMode.workers, execution?.id ?? '');
		await worker.kill();
		// Requests in flight when the worker died still arrive.
		await waitUntil(async () => ledger.inFlight === 0 || undefined, {
			what: 'the service is idle',
			limit: LIMIT,
		});
		const madeBefore = made();

		const [ended] = await Promise.all([
			untilEnded(stage, workflowId, 1, LIMIT),
			queueMode.replace(worker),
		]);
		expect(Object.keys(ended)).not.toContain('success');
		const retryId = await client.executions.retry(execution?.id ?? '');
		const retried = await client.executions.get(retryId);
		// If little was saved, the retry ends with the old error before any node has run.
		const items = retried.nodes[NODE] ? itemsOf(retried, NODE) : [];
		if (items.length > 0) return { madeBefore, by: 'retry', ledger, items };
		const { execution: again } = await client.executions.startedBy(
			workflowId,
			async () => await callWebhook(address, { body: { calls } }),
			{ limit: LIMIT },
		);
		return { madeBefore, by: 'request', ledger, items: itemsOf(again, NODE) };
	} finally {
		await emulator.close();
	}
}

/** Only the worker's log says which executions it runs. */
function workerOf(workers: readonly RunningN8n[], executionId: string): RunningN8n {
	const worker = workers.find(({ log }) => log().includes(`started execution ${executionId} `));
	if (!worker) throw new Error(`No worker says that it runs execution ${executionId}`);
	return worker;
}

function numbers(): string[] {
	return Array.from({ length: CALLS }, (_, index) => String(FIRST_PHONE + index));
}

function calledTwice({ calls }: Ledger): number {
	return calls.length - new Set(calls.map(({ phone }) => phone)).size;
}

function reportCalls(title: string, { madeBefore, by, ledger }: Rerun): void {
	report(title, {
		'calls before the kill': madeBefore,
		'run again by': by === 'retry' ? 'n8n’s own Retry' : 'a new request',
		'calls in the end': ledger.calls.length,
		'numbers called twice': calledTwice(ledger),
	});
}
