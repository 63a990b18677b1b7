import { webhookPayload } from '../../../emulator/people/inboundCalls';
import type { InboundWait } from '../../../emulator/service/state';
import { productionUrl, waitUntil } from '../../../harness';
import { chain, webhook } from '../../../harness/rest/workflowFile';
import { type EndOfWorkflow, startEndOfWorkflow } from '../../../harness/workflows/otherServers';
import { shuffled } from '../../../harness/workflows/inboundEvents';
import { type ExecutionCounts, executionCounts, untilEnded } from '../executionCounts';
import { type Post, postAll } from '../../../harness/rest/webhooks';
import { seed, type Stage } from '../stage';
import { inboundNode } from '../../../harness/workflows/nodeRunner';

const PATH = 'wait-for-call';
const PEOPLE = 50;
const FIRST_PHONE = 79_170_000_000;
/** No call comes for these. */
const WITHOUT_CALL = 12;
/** Longer than the test. */
const LIMIT_IN_MINUTES = 60;
const LIMIT = 180_000;

interface Awaited {
	readonly phone: string;
	readonly reference: string;
	readonly wait: Readonly<InboundWait>;
}

export async function waitingExecutionsResumeOnce(stage: Stage): Promise<void> {
	const { queueMode } = stage;
	const end = await startEndOfWorkflow();
	const random = seed.randomOf(2);
	const workflowId = await publishWaitingWorkflow(stage, end);
	const people = await sendToSleep(stage, workflowId);

	const uncalled = people.slice(0, WITHOUT_CALL);
	const called = shuffled(people.slice(WITHOUT_CALL), random);
	const through = (wait: Readonly<InboundWait>): string => {
		const { url } = queueMode.webhooks[random() < 0.5 ? 0 : 1];
		return wait.callbackUrl.replace(new URL(wait.callbackUrl).origin, url);
	};
	const trueEvent = ({ wait }: Awaited): Post => ({
		url: through(wait),
		body: JSON.stringify(webhookPayload(wait)),
	});

	const half = Math.floor(called.length / 2);
	const [early, late] = [called.slice(0, half), called.slice(half)];
	let counts: ExecutionCounts = {};
	const forged = [...early.slice(0, 6), ...late.slice(0, 6), ...uncalled.slice(0, 6)];
	const refused = await postAll(
		forged.flatMap((person) => forgeries(person, people, through)),
		8,
	);
	const before = await postAll(early.map(trueEvent), 8);
	// What a stopped worker has begun would be another test.
	await untilSeen(
		async () => {
			counts = await executionCounts(stage, workflowId);
			return counts.success === early.length;
		},
		() => JSON.stringify(counts),
	);
	await queueMode.restartProcesses();
	// The last ones are reported twice simultaneously.
	const twice = late.slice(-5);
	const after = await postAll([...late, ...twice].map(trueEvent), 8);

	const expected = called.map((person) => reportOf(person, true));
	await untilSeen(
		async () => end.arrivals.size >= expected.length,
		() => String(end.arrivals.size),
	);
	const statuses = (answers: typeof before) => answers.map(({ status }) => status);
	seed.report('Waiting executions', {
		started: PEOPLE,
		'resumed by their call': called.length,
		'forged callbacks refused': refused.length,
		'answers to repeats': JSON.stringify(statuses(after).slice(late.length)),
	});
	expect([...new Set(statuses(refused))].sort()).toEqual([401, 409]);
	expect(statuses(before)).toEqual(early.map(() => 200));
	// Of two reports of a call, at least one is accepted; n8n refuses the other if it comes too late.
	expect(statuses(after).filter((status) => status === 200).length).toBeGreaterThanOrEqual(
		late.length,
	);

	await endTheirTime(stage, workflowId);
	expect(await untilEnded(stage, workflowId, PEOPLE, LIMIT)).toEqual({ success: PEOPLE });
	const lines = [...expected, ...uncalled.map((person) => reportOf(person, false))];
	expect(Object.fromEntries(end.arrivals)).toEqual(
		Object.fromEntries(lines.map((line) => [line, 1])),
	);
	await end.close();
}

/**
 * Of all who are waiting still. Not left to the clock: n8n may mark an execution as crashed if it resumes while a
 * worker starts, and on a busy machine a restart takes its time.
 */
async function endTheirTime({ queueMode }: Stage, workflowId: string): Promise<void> {
	await queueMode.postgres.query(
		`update execution_entity set "waitTill" = now() where "workflowId" = '${workflowId}' and status = 'waiting'`,
	);
}

/** What an execution reports at the end: which call it waited for, and what it continued with. */
function reportOf({ wait: { vendorId }, reference }: Awaited, received: boolean): string {
	return [vendorId, received, received ? vendorId : '-', received ? reference : '-'].join(' ');
}

const REPORT =
	'={{ [$json.vendor_id, $json.received, $json.callId ?? "-", $json.reference ?? "-"].join(" ") }}';

/** Requests a call and waits for it. */
async function publishWaitingWorkflow(
	{ client, service }: Stage,
	end: EndOfWorkflow,
): Promise<string> {
	const { id } = await client.workflows.create(
		chain(
			'Wait for calls',
			webhook(PATH, 'onReceived'),
			inboundNode(service.credential, 'Ask', 'start', {
				phone: '={{ $json.body.phone }}',
				callbackTarget: 'execution',
				options: { reference: '={{ $json.body.reference }}', expiresAfter: LIMIT_IN_MINUTES },
			}),
			inboundNode(service.credential, 'Wait', 'wait', {
				uid: '={{ $json.vendor_id }}',
				limitWaitTime: LIMIT_IN_MINUTES,
			}),
			end.node(REPORT),
		),
	);
	await client.workflows.publish(id);
	return id;
}

/** Starts an execution for each person and resolves once all are waiting. */
async function sendToSleep(stage: Stage, workflowId: string): Promise<Awaited[]> {
	const { webhooks } = stage.queueMode;
	const people = Array.from({ length: PEOPLE }, (_, index) => ({
		phone: String(FIRST_PHONE + index),
		reference: `contact-${index}`,
	}));
	await postAll(
		people.map((person, index) => ({
			url: productionUrl(webhooks[index % 2 === 0 ? 0 : 1].url, PATH),
			body: JSON.stringify(person),
		})),
		8,
	);
	let counts: ExecutionCounts = {};
	await untilSeen(
		async () => (counts = await executionCounts(stage, workflowId)).waiting === PEOPLE,
		() => JSON.stringify(counts),
	);
	const { inboundWaits } = stage.service.emulator.ledger;
	return people.map((person) => {
		const wait = inboundWaits.find(({ phone }) => phone === person.phone);
		if (!wait) throw new Error(`The service was not asked to wait for ${person.reference}`);
		return { ...person, wait };
	});
}

async function untilSeen(isThere: () => Promise<boolean>, seen: () => string): Promise<void> {
	await waitUntil(async () => (await isThere()) || undefined, {
		what: 'the executions have come that far',
		limit: LIMIT,
		seen,
	});
}

/** Callbacks that must not resume the execution: no seal, a changed seal, and another person's event. */
function forgeries(
	{ wait }: Awaited,
	people: readonly Awaited[],
	through: (wait: Readonly<InboundWait>) => string,
): Post[] {
	const own = JSON.stringify(webhookPayload(wait));
	const other = people.find((person) => person.wait !== wait)?.wait ?? wait;
	const wrongCall = { ...webhookPayload(wait), callId: String(other.vendorId) };
	return [
		{ url: through(wait).replace(/&(?:exp|ref|nonce|sig)=[^&]*/g, ''), body: own },
		{ url: through(wait).replace(/sig=.{5}/, 'sig=AAAAA'), body: own },
		{ url: through(wait), body: JSON.stringify(webhookPayload(other)) },
		{ url: through(wait), body: JSON.stringify(wrongCall) },
	];
}
