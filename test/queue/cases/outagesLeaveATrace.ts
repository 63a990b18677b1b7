import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../../../harness';
import { executionCounts } from '../executionCounts';
import { type Outcome, outcomeOf, type SentEvent } from '../outcome';
import { publishOurs, publishTheirs, type Rival } from '../rivalWorkflows';
import { report } from '../seed';
import { postAll, postSteadily } from '../../../harness/workflows/sendEvents';
import type { Stage } from '../stage';

const FIRST_PHONE = 79_190_000_000;
const EVENTS_EACH = 60;
const PER_SECOND = 10;
/** The server stops after a sixth of the events have been sent, and stays down for five seconds. */
const BEFORE = 2_000;
const AWAY = 5_000;
/** With all servers back, an execution that makes no progress for this long is stuck. */
const HANGS_AFTER = 20_000;
const LIMIT = 300_000;

type Server = 'redis' | 'postgres';

/** Our nodes and n8n's own, through the same outage at the same time. */
export async function outagesLeaveATrace(stage: Stage): Promise<void> {
	const rivals = [await publishOurs(stage), await publishTheirs(stage)];
	for (const [index, server] of (['redis', 'postgres'] as const).entries()) {
		const [ours] = await outage(stage, server, rivals, FIRST_PHONE + index * 100_000);
		expect(ours?.['lost although sent again']).toBe(0);
		// An event that was accepted and lost shows up as failed in n8n's list of executions.
		expect(ours?.['accepted but lost']).toBeLessThanOrEqual(ours?.['unsuccessful executions'] ?? 0);
	}
}

async function outage(
	stage: Stage,
	server: Server,
	rivals: readonly Rival[],
	firstPhone: number,
): Promise<Outcome[]> {
	// Both get an event at the same moment and take turns going first, so that the outage hits them alike.
	const events = Array.from({ length: EVENTS_EACH }, (_, index) =>
		(index % 2 === 0 ? rivals : rivals.toReversed()).map((rival, turn): SentEvent => {
			const phone = firstPhone + index * rivals.length + turn;
			return { rival, phone, post: rival.event(phone, Math.floor(index / 2)) };
		}),
	).flat();
	const unsuccessfulBefore = await unsuccessfulOf(stage, rivals);
	const [answers] = await Promise.all([
		postSteadily(
			events.map(({ post }) => post),
			PER_SECOND,
			rivals.length,
		),
		takeAway(stage, server),
	]);
	const ended = await stage.queueMode.replaceEnded();
	await stage.queueMode.untilReady();
	await untilQuiet(stage, rivals);

	const refused = events.filter((_event, index) => answers[index]?.status !== 200);
	await postAll(
		refused.map(({ post }) => post),
		4,
	);
	await untilQuiet(stage, rivals);

	const unsuccessfulAfter = await unsuccessfulOf(stage, rivals);
	const outcomes: Outcome[] = [];
	for (const [index, rival] of rivals.entries()) {
		const unsuccessful = (unsuccessfulAfter[index] ?? 0) - (unsuccessfulBefore[index] ?? 0);
		const { ledger } = stage.service.emulator;
		const outcome = outcomeOf(rival, events, answers, { ledger, unsuccessful });
		report(`${server} away for 5 s, ${rival.name}`, {
			...outcome,
			'their errors': (await newestErrors(stage, rival, unsuccessful)).join(' and ') || 'none',
			'n8n processes that ended': ended.join(' and ') || 'none',
		});
		outcomes.push(outcome);
	}
	return outcomes;
}

async function newestErrors(
	{ client }: Stage,
	{ workflowId }: Rival,
	count: number,
): Promise<string[]> {
	const unsuccessful = (await client.executions.list(workflowId))
		.filter(({ status }) => status !== 'success')
		.slice(0, count);
	return await Promise.all(
		unsuccessful.map(async ({ id, status }) => {
			const { error, lastNode } = await client.executions.get(id);
			return `${status} after ${lastNode ?? 'no node'} (${error?.message ?? 'no error'})`;
		}),
	);
}

async function unsuccessfulOf(stage: Stage, rivals: readonly Rival[]): Promise<number[]> {
	return await Promise.all(
		rivals.map(async ({ workflowId }) => {
			const { success: _success, ...others } = await executionCounts(stage, workflowId);
			return Object.values(others).reduce((sum, count) => sum + count, 0);
		}),
	);
}

async function takeAway({ queueMode }: Stage, server: Server): Promise<void> {
	await pause(BEFORE);
	await queueMode[server].server.stop();
	await pause(AWAY);
	await queueMode[server].server.start();
}

/** Resolves once no execution is running, or those that are running are stuck. */
async function untilQuiet(stage: Stage, rivals: readonly Rival[]): Promise<void> {
	let seen = '';
	let since = Date.now();
	await waitUntil(
		async () => {
			const counts = await Promise.all(
				rivals.map(async ({ workflowId }) => await executionCounts(stage, workflowId)),
			);
			const now = JSON.stringify(counts);
			if (now !== seen) since = Date.now();
			seen = now;
			const isIdle = counts.every(({ new: queued, running }) => !queued && !running);
			return isIdle || Date.now() - since > HANGS_AFTER || undefined;
		},
		{ what: 'the executions are quiet', limit: LIMIT, seen: () => seen },
	);
}
