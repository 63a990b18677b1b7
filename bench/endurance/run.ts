import { setTimeout as pause } from 'node:timers/promises';

import {
	connect,
	freePorts,
	type N8nClient,
	type N8nProgram,
	productionUrl,
	type RunningN8n,
	startN8n,
	type WorkflowFile,
} from '../../harness';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/emulatedService';
import { type Post, postSteadily } from '../../harness/rest/webhooks';
import { chain, webhook } from '../../harness/rest/workflowFile';
import { eventBody, sealQuery } from '../../harness/workflows/inboundEvents';
import { actionNode, triggerNode } from '../../harness/workflows/nodeRunner';
import { type EndOfWorkflow, withEndOfWorkflow } from '../../harness/workflows/otherServers';
import { listBody, listWorkflow, phones } from '../load/lists';
import { ENGINES, START_LIMIT, stoppedAfter, untilAllEnded } from '../load/stages';
import { heapSettings, LiveHeap } from '../processFigures';
import { type EmulatorAccess, EmulatorProcess, type EmulatorTraffic } from '../services';
import type { EnduranceResults, HeapSample } from './report';

/** Twice as many calls and events keep one core busy with n8n's expressions. */
const LIST_SIZE = 500;
const SECONDS_PER_LIST = 20;
const CALLS_PER_SECOND = 1;
const EVENTS_PER_SECOND = 2;

const FIRST_CHECKED = 79_400_000_000;
const FIRST_CALLED = 79_500_000_000;
const FIRST_CALLER = 79_600_000_000;

const TRIGGER = 'endurance';

/** One kind of work: what to post, and how often. */
interface Stream {
	readonly posts: readonly Post[];
	readonly perSecond: number;
}

interface MixedLoad {
	readonly workflowIds: readonly string[];
	readonly lists: Stream;
	readonly calls: Stream;
	readonly events: Stream;
	readonly numbersToCheck: number;
}

/** Publishes three workflows and prepares all posts to them for this many seconds. No number occurs twice. */
async function prepareMixedLoad(
	{ url }: RunningN8n,
	client: N8nClient,
	service: EmulatorAccess,
	end: EndOfWorkflow,
	seconds: number,
): Promise<MixedLoad> {
	const credential = await client.credentials.create(
		'Service',
		CREDENTIAL_TYPE,
		credentialData(service),
	);
	const publish = async (file: WorkflowFile): Promise<string> => {
		const { id } = await client.workflows.create(file);
		await client.workflows.publish(id);
		return id;
	};
	const begin = webhook('call');
	const workflowIds = [
		await publish(
			listWorkflow(
				'check',
				actionNode(credential, {
					resource: 'phoneNumber',
					operation: 'check',
					phone: '={{ $json.phone }}',
				}),
			),
		),
		await publish(
			chain(
				'Call',
				{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
				actionNode(credential, {
					resource: 'call',
					operation: 'start',
					phone: '={{ $json.body.phone }}',
					delivery: 'callerNumber',
					waitForResult: false,
					options: {},
				}),
			),
		),
		await publish(
			chain('Event', triggerNode(credential, 'Trigger', TRIGGER), end.node('={{ $json.callId }}')),
		),
	];
	const sealing = { secretKey: service.secretKey, target: TRIGGER };
	const numbersOf = (perSecond: number, first: number) =>
		Array.from({ length: Math.floor(seconds * perSecond) }, (_, index) => first + index);
	const lists = numbersOf(1 / SECONDS_PER_LIST, 0).map((index) =>
		phones(LIST_SIZE, FIRST_CHECKED + index * LIST_SIZE),
	);
	return {
		workflowIds,
		numbersToCheck: lists.length * LIST_SIZE,
		lists: {
			perSecond: 1 / SECONDS_PER_LIST,
			posts: lists.map((list) => ({
				url: productionUrl(url, 'check'),
				body: JSON.stringify(listBody(list)),
			})),
		},
		calls: {
			perSecond: CALLS_PER_SECOND,
			posts: numbersOf(CALLS_PER_SECOND, FIRST_CALLED).map((phone) => ({
				url: productionUrl(url, 'call'),
				body: JSON.stringify({ phone: String(phone) }),
			})),
		},
		events: {
			perSecond: EVENTS_PER_SECOND,
			posts: numbersOf(EVENTS_PER_SECOND, FIRST_CALLER).map((phone) => ({
				url: productionUrl(url, `${TRIGGER}/inbound-call`) + sealQuery(sealing, phone),
				body: JSON.stringify(eventBody(phone, phone)),
			})),
		},
	};
}

const LATENCY = 80;
const LIMIT = 300_000;

type Sampled = Pick<EnduranceResults, 'samples' | 'limitBytes'>;

/** One n8n with its own defaults, except that it creates isolates on demand, so that it has some headroom on one core. */
export async function endure(
	program: N8nProgram,
	tarball: string,
	minutes: number,
	onSample: (sample: HeapSample) => void,
): Promise<EnduranceResults> {
	const service = new EmulatorProcess();
	const [port = 0] = await freePorts(1);
	const n8n = await startN8n(program, {
		packages: [tarball],
		startLimit: START_LIMIT,
		settings: { ...ENGINES.onDemand, ...heapSettings(port) },
	});
	const measure = async () => {
		const client = await connect(n8n);
		const heap = await LiveHeap.of(n8n.pid, port);
		return await withEndOfWorkflow(async (end) => {
			const { traffic, load, sampled } = await service.during(
				{ latencyMs: LATENCY },
				async (access) => {
					const load = await prepareMixedLoad(n8n, client, access, end, minutes * 60);
					const work = sendAll(client, load);
					const sampled = await sampleDuring(heap, SECONDS_PER_LIST, work, onSample);
					return { load, sampled };
				},
			);
			heap.close();
			return stockOf(n8n, minutes, load, sampled, traffic, end);
		});
	};
	try {
		return await stoppedAfter(n8n, measure);
	} finally {
		service.end();
	}
}

async function sendAll(client: N8nClient, load: MixedLoad): Promise<void> {
	const send = async ({ posts, perSecond }: Stream) => await postSteadily(posts, perSecond);
	await Promise.all([load.lists, load.calls, load.events].map(send));
	for (const workflowId of load.workflowIds) await untilAllEnded(client, workflowId, LIMIT);
}

/** Counts what reached the service and the end of the workflow, not what n8n reports about itself. */
function stockOf(
	{ version }: RunningN8n,
	minutes: number,
	{ numbersToCheck, calls, events }: MixedLoad,
	{ samples, limitBytes }: Sampled,
	traffic: EmulatorTraffic,
	{ arrivals }: EndOfWorkflow,
): EnduranceResults {
	const handled = [...arrivals.values()].reduce((sum, times) => sum + times, 0);
	return {
		n8n: version,
		minutes,
		checks: {
			sent: numbersToCheck,
			lost: numbersToCheck - traffic.numbersChecked,
			twice: traffic.answered - traffic.numbersChecked,
		},
		calls: {
			sent: calls.posts.length,
			lost: calls.posts.length - traffic.numbersCalled,
			twice: traffic.calls - traffic.numbersCalled,
		},
		events: {
			sent: events.posts.length,
			lost: events.posts.length - arrivals.size,
			twice: handled - arrivals.size,
		},
		samples,
		limitBytes,
	};
}

/** Samples the heap at a steady pace until the work is done, always at the same point of a round. */
async function sampleDuring(
	heap: LiveHeap,
	everySeconds: number,
	work: Promise<unknown>,
	onSample: (sample: HeapSample) => void,
): Promise<Sampled> {
	const started = Date.now();
	const samples: HeapSample[] = [];
	let limitBytes = 0;
	let isOver = false;
	const over = work.finally(() => {
		isOver = true;
	});
	for (let turn = 1; ; turn++) {
		// Shortly before the next list, when the last one is done.
		const next = started + (turn * everySeconds - 1) * 1000;
		await Promise.race([over, pause(Math.max(0, next - Date.now()))]);
		if (isOver) break;
		const { used, limit } = await heap.use();
		limitBytes = limit;
		const sample = { hours: (Date.now() - started) / 3_600_000, bytes: used };
		samples.push(sample);
		onSample(sample);
	}
	await over;
	return { samples, limitBytes };
}
