import { EmulatorProcess, type EmulatorTraffic } from '../emulatorProcess';
import { type EndOfWorkflow, withEndOfWorkflow } from '../../harness/workflows/endOfWorkflow';
import { postSteadily } from '../../harness/workflows/sendEvents';
import {
	connect,
	freePorts,
	type N8nClient,
	type N8nProgram,
	type RunningN8n,
	startN8n,
} from '../../harness';
import { ENGINES } from '../load/eventStages';
import { START_LIMIT } from '../load/n8nInFolder';
import { untilAllEnded } from '../load/openExecutions';
import { sampleDuring } from './heapSamples';
import { heapSettings, LiveHeap } from './liveHeap';
import { type MixedLoad, prepareMixedLoad, SECONDS_PER_LIST, type Stream } from './mixedLoad';
import type { EnduranceResults, HeapSample } from './results';

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
	try {
		const client = await connect(n8n);
		const heap = await LiveHeap.of(n8n.pid, port);
		return await withEndOfWorkflow(async (end) => {
			const { traffic, load, sampled } = await service.during(
				{ latencyMs: LATENCY },
				async (access) => {
					const load = await prepareMixedLoad(n8n, client, access, end, minutes * 60);
					const sampled = await sampleDuring(
						heap,
						SECONDS_PER_LIST,
						sendAll(client, load),
						onSample,
					);
					return { load, sampled };
				},
			);
			heap.close();
			return stockOf(n8n, minutes, load, sampled, traffic, end);
		});
	} catch (error) {
		console.error(`The end of n8n's log:\n${n8n.log().slice(-3000)}`);
		throw error;
	} finally {
		await n8n.stop();
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
