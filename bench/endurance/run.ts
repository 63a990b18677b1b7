import { setTimeout as pause } from 'node:timers/promises';

import {
	connect,
	freePorts,
	type N8nClient,
	type N8nProgram,
	type RunningN8n,
	startN8n,
} from '../../harness';
import { type EndOfWorkflow, withEndOfWorkflow } from '../../harness/workflows/endOfWorkflow';
import { postSteadily } from '../../harness/workflows/sendEvents';
import { EmulatorProcess, type EmulatorTraffic } from '../emulatorProcess';
import { ENGINES, START_LIMIT, stoppedAfter } from '../load/stages';
import { untilAllEnded } from '../load/watched';
import { heapSettings, LiveHeap } from '../processFigures';
import { type MixedLoad, prepareMixedLoad, SECONDS_PER_LIST, type Stream } from './mixedLoad';
import type { EnduranceResults, HeapSample } from './report';

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
