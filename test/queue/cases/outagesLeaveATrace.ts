import { setTimeout as pause } from 'node:timers/promises';
import { productionUrl, waitUntil } from '../../../harness';
import { chain } from '../../../harness/rest/workflowFile';
import { eventBody, sealQuery } from '../../../harness/workflows/inboundEvents';
import { actionNode, triggerNode } from '../../../harness/workflows/nodeRunner';
import { postAll, postSteadily } from '../../../harness/rest/webhooks';
import { executionCounts } from '../executionCounts';
import { CALL_EACH } from './killedWorkers';
import { seed, type Stage } from '../stage';

const HOOK = 'outage-trigger';
const FIRST_PHONE = 79_190_000_000;
const EVENTS = 60;
const PER_SECOND = 10;
/** The server stops after a third of the events have been sent, and stays down for five seconds. */
const BEFORE = 2_000;
const AWAY = 5_000;
/** With all servers back, an execution that makes no progress for this long is stuck. */
const HANGS_AFTER = 20_000;
const LIMIT = 300_000;

/** A workflow that calls the number of each event, so that the service's ledger shows what became of it. */
export async function outagesLeaveATrace(stage: Stage): Promise<void> {
	const { client, service } = stage;
	const call = { ...CALL_EACH, phone: '={{ $json.clientNumber }}' };
	const { id } = await client.workflows.create(
		chain(
			'Trigger and call',
			triggerNode(service.credential, 'Trigger', HOOK),
			actionNode(service.credential, call),
		),
	);
	await client.workflows.publish(id);
	await outage(stage, id, 'redis', FIRST_PHONE);
	await outage(stage, id, 'postgres', FIRST_PHONE + EVENTS);
}

async function outage(
	stage: Stage,
	workflowId: string,
	server: 'redis' | 'postgres',
	firstPhone: number,
): Promise<void> {
	const { queueMode, service } = stage;
	const { ledger, secretKey } = service.emulator;
	const phones = Array.from({ length: EVENTS }, (_none, index) => firstPhone + index);
	const posts = phones.map((phone, index) => ({
		url:
			productionUrl(queueMode.webhooks[index % 2 === 0 ? 0 : 1].url, `${HOOK}/inbound-call`) +
			sealQuery({ secretKey, target: HOOK }, phone),
		body: JSON.stringify(eventBody(phone, phone)),
	}));
	const before = await lastExecution(stage, workflowId);
	const [answers] = await Promise.all([
		postSteadily(posts, PER_SECOND),
		(async () => {
			await pause(BEFORE);
			await queueMode[server].server.stop();
			await pause(AWAY);
			await queueMode[server].server.start();
		})(),
	]);
	const ended = await queueMode.replaceEnded();
	await queueMode.untilReady();
	await untilQuiet(stage, workflowId);
	const isAccepted = (index: number) => answers[index]?.status === 200;
	const refused = phones.filter((_phone, index) => !isAccepted(index));
	const sentAgain = await postAll(
		posts.filter((_post, index) => !isAccepted(index)),
		4,
	);
	await untilQuiet(stage, workflowId);

	const notCalled = (some: readonly number[]) => {
		const called = new Set(ledger.calls.map(({ phone }) => Number(phone)));
		return some.filter((phone) => !called.has(phone));
	};
	await waitUntil(async () => notCalled(refused).length === 0 || undefined, {
		what: 'all events that were refused, and sent again, have led to a call',
		limit: LIMIT,
		seen: () => `no call to ${notCalled(refused).join()}`,
	});
	const lost = notCalled(phones).length;
	const failed = await unsuccessfulSince(stage, workflowId, before);
	seed.report(`${server} away for 5 s`, {
		sent: EVENTS,
		refused: refused.length,
		'accepted but lost': lost,
		'unsuccessful executions': failed,
		'n8n processes that ended': ended.join(' and ') || 'none',
	});
	expect(sentAgain.map(({ status }) => status)).toEqual(refused.map(() => 200));
	// An event that was accepted and lost shows up as failed in n8n's list of executions.
	expect(lost).toBeLessThanOrEqual(failed);
}

async function lastExecution({ queueMode }: Stage, workflowId: string): Promise<number> {
	const [[last] = []] = await queueMode.postgres.query(
		`select coalesce(max(id), 0) from execution_entity where "workflowId" = '${workflowId}'`,
	);
	return Number(last);
}

/** Of the executions after that one. An earlier one may succeed only now. */
async function unsuccessfulSince(
	{ queueMode }: Stage,
	workflowId: string,
	last: number,
): Promise<number> {
	const [[count] = []] = await queueMode.postgres.query(
		`select count(*) from execution_entity where "workflowId" = '${workflowId}' and id > ${last} and status <> 'success'`,
	);
	return Number(count);
}

/** Resolves once no execution is running, or those that are running are stuck. */
async function untilQuiet(stage: Stage, workflowId: string): Promise<void> {
	let seen = '';
	let since = Date.now();
	await waitUntil(
		async () => {
			const counts = await executionCounts(stage, workflowId);
			const now = JSON.stringify(counts);
			if (now !== seen) since = Date.now();
			seen = now;
			return (!counts.new && !counts.running) || Date.now() - since > HANGS_AFTER || undefined;
		},
		{ what: 'the executions are quiet', limit: LIMIT, seen: () => seen },
	);
}
