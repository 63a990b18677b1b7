import type { EmulatorProcess } from '../emulatorProcess';
import { LIMITED, UNLIMITED } from '../services';
import { NODE } from '../../harness/workflows/nodeRunner';
import type { N8nClient, RunningN8n } from '../../harness';
import { watchHealth } from './watched';
import { AT_ONCE, BATCHED, type ListContender, OURS } from './listContenders';
import type { N8nInFolder } from './stages';
import { phones, PostedList } from './postedList';
import { peakMemory, resetPeakMemory } from '../processFigures';
import type { ListRun, Lists } from './results';

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
