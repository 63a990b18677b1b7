import { type EndOfWorkflow, withEndOfWorkflow } from '../../../harness/workflows/otherServers';
import { type EventRequest, mixedEvents } from '../../../harness/workflows/inboundEvents';
import { untilEnded } from '../executionCounts';
import { productionUrl } from '../../../harness';
import {
	parameterOf,
	publishExample,
	withSavedExecutions,
} from '../../../harness/workflows/examples';
import { type Answer, postAll } from '../../../harness/rest/webhooks';
import { createSiteCredential } from '../../../harness/workflows/siteRequests';
import { seed, type Stage } from '../stage';

const NUMBERS = { events: 1_000, repeated: 100, forged: 50, malformed: 50 };
const AT_ONCE = 24;
const TRIGGER = 'Person Has Called';
const LIMIT = 300_000;

export async function eventsAreHandledOnce(stage: Stage): Promise<void> {
	await withEndOfWorkflow(async (end) => await sendAndCount(stage, end));
}

async function sendAndCount(stage: Stage, end: EndOfWorkflow): Promise<void> {
	const { service } = stage;
	const { workflowId, target, addresses } = await publishOnceExample(stage, end);
	const random = seed.randomOf(1);
	const { secretKey } = service.emulator;
	const events = mixedEvents({ secretKey, target, issuer: workflowId }, NUMBERS, random);

	const started = Date.now();
	const answers = await postAll(
		events.map(({ query, body }) => {
			const address = addresses[Math.floor(random() * addresses.length)] ?? '';
			return { url: `${address}${query}`, body };
		}),
		AT_ONCE,
	);
	const statuses = (kind: EventRequest['kind']) => statusesOf(events, answers, kind);
	expect({
		true: statuses('true'),
		repeated: statuses('repeated'),
		forged: statuses('forged'),
		malformed: statuses('malformed'),
	}).toEqual({ true: [200], repeated: [200], forged: [401], malformed: [400, 422] });

	const filtered = answers.filter(({ text }) => text.includes('duplicate')).length;
	// Only genuine events start executions; repeats the trigger could not recognize end at the claim.
	const expected = NUMBERS.events + NUMBERS.repeated - filtered;
	const executions = await untilEnded(stage, workflowId, expected, LIMIT);
	const seconds = (Date.now() - started) / 1_000;

	const handled = events.filter(({ kind }) => kind === 'true').map(({ callId }) => callId);
	seed.report('Events', {
		sent: events.length,
		'executions started': JSON.stringify(executions),
		'repeats known to the trigger': `${filtered} of ${NUMBERS.repeated}`,
		'handled once': handled.filter((callId) => end.arrivals.get(callId) === 1).length,
		'events/s': (events.length / seconds).toFixed(1),
	});

	expect(executions).toEqual({ success: expected });
	expect([...end.arrivals].filter(([, times]) => times !== 1)).toEqual([]);
	expect([...end.arrivals.keys()].sort()).toEqual(handled.sort());
}

/** The distinct responses to this kind of request. */
function statusesOf(
	events: readonly EventRequest[],
	answers: readonly Answer[],
	kind: EventRequest['kind'],
): Array<number | undefined> {
	const ofKind = answers.filter((_answer, index) => events[index]?.kind === kind);
	return [...new Set(ofKind.map(({ status }) => status))].sort();
}

/**
 * Follows the example's notes: chooses the credentials, creates the table, replaces “Update Contact” with another node,
 * and publishes. That node reports the call ID. The executions are saved, so that they can be counted. Returns the target
 * that its callbacks are sealed for, and the trigger's URL on each webhook process.
 */
async function publishOnceExample({ client, queueMode, service }: Stage, end: EndOfWorkflow) {
	const { login, query } = queueMode.postgres;
	const credentials = {
		postgres: await client.credentials.create('Postgres account', 'postgres', login),
		...(await createSiteCredential(client, 'Site of on-inbound-call-postgres')),
	};
	const last = {
		...end.node(`={{ $('${TRIGGER}').item.json.callId }}`),
		name: 'Update Contact',
	};
	const n8n = { client, credential: service.credential };
	const { id, file } = await publishExample(
		'on-inbound-call-postgres',
		'once',
		n8n,
		credentials,
		(example) => {
			const nodes = example.nodes.map((node) => (node.name === last.name ? last : node));
			return withSavedExecutions({ ...example, nodes });
		},
	);
	await query(parameterOf(file, 'Create Table', 'query'));
	const target = file.nodes.find(({ name }) => name === TRIGGER)?.webhookId ?? '';
	const addresses = queueMode.webhooks.map(({ url }) =>
		productionUrl(url, `${target}/inbound-call`),
	);
	return { workflowId: id, target, addresses };
}
