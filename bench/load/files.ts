import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import {
	cpuSeconds,
	heapSettings,
	LiveHeap,
	memoryInUse,
	peakMemory,
	resetPeakMemory,
	watchBlocks,
} from '../processFigures';
import {
	type BenchService,
	type EmulatorAccess,
	type EmulatorProcess,
	LIMITED,
	PER_SECOND,
	UNLIMITED,
} from '../services';
import { median } from '../statistics';
import {
	callWebhook,
	filesOf,
	freePorts,
	type N8nClient,
	productionUrl,
	type RunningN8n,
} from '../../harness';
import { chain, set, webhook } from '../../harness/rest/workflowFile';
import {
	AS_FILE,
	AS_ITEMS,
	type FileContender,
	fileWorkflow,
	OUTPUT,
	OWN_NODES,
	REQUESTS_ALONE,
	WITH_HTTP_REQUEST,
	WITH_KNOWN_NUMBERS,
} from './fileContenders';
import { type N8nInFolder, type Watch, watchRepeated } from './stages';
import { PostedList } from './lists';
import type { FileRun, Files } from './results';

const FIRST_PHONE = 79_160_000_000;
const FIRST_PHONE_OF_WARM_UP = 79_260_000_000;
const WARM_UP = 200;
const BETWEEN_EVENTS = 1_000;
/** Each sample takes n8n about half a second, so a long list is sampled less often. */
const HEAP_SAMPLES = 8;
const BETWEEN_HEAP_SAMPLES = 5_000;

export interface FilesExtent {
	readonly rows: number;
	/** Of all contenders, in turns. */
	readonly rounds: number;
	/** Only the file, with known numbers, too, and the items, because the rest takes too long. */
	readonly isLong: boolean;
}

/** The same rows as a file and as items, each time in a new n8n. */
export async function measureFiles(
	folder: N8nInFolder,
	service: EmulatorProcess,
	{ rows, rounds, isLong }: FilesExtent,
): Promise<Files> {
	const inStage = async <T extends object>(
		contender: FileContender,
		{ behaviour }: BenchService,
		work: (stage: Stage, access: EmulatorAccess) => Promise<T>,
	) => {
		const { traffic, ...found } = await inFreshN8n(folder, async (stage) => {
			await service.during({}, async (access) => await stage.warmUp(contender, access));
			return await service.during(behaviour, async (access) => await work(stage, access));
		});
		const { answered, numbersChecked } = traffic;
		const run = { ...found, charged: answered, chargedTwice: answered - numbersChecked };
		console.log(`  ${JSON.stringify(run)}`);
		return run;
	};
	const measure = async (contender: FileContender, on: BenchService = UNLIMITED) =>
		await inStage(contender, on, async (stage, access) => await stage.run(contender, access, rows));
	const liveHeapOf = async (contender: FileContender) =>
		await inStage(
			contender,
			UNLIMITED,
			async (stage, access) => await stage.liveHeapDuring(contender, access, rows),
		);
	console.log(`Measuring: files, ${rows} rows`);
	const file: FileRun[] = [];
	const items: FileRun[] = [];
	const requests: FileRun[] = [];
	for (let round = 1; round <= rounds; round++) {
		file.push(await measure(AS_FILE));
		items.push(await measure(AS_ITEMS));
		requests.push(await measure(REQUESTS_ALONE));
	}
	return {
		rows,
		rounds,
		file: inAll(file),
		items: inAll(items),
		requests: inAll(requests),
		cpuRatio: median(file.map((run, round) => run.cpuSeconds / (items[round]?.cpuSeconds ?? NaN))),
		...(!isLong && {
			atOnce: await measure(WITH_HTTP_REQUEST),
			events: await inStage(
				AS_FILE,
				UNLIMITED,
				async (stage, access) => await stage.runWithEvents(AS_FILE, access, rows),
			),
			limited: {
				...(await measure(AS_FILE, LIMITED)),
				floorSeconds: rows / PER_SECOND,
			},
		}),
		...(isLong && {
			known: {
				run: await measure(WITH_KNOWN_NUMBERS),
				live: await liveHeapOf(WITH_KNOWN_NUMBERS),
			},
		}),
		live: {
			file: await liveHeapOf(AS_FILE),
			items: await liveHeapOf(AS_ITEMS),
			requests: await liveHeapOf(REQUESTS_ALONE),
		},
	};
}

async function inFreshN8n<T>(folder: N8nInFolder, work: (stage: Stage) => Promise<T>): Promise<T> {
	const [port = 0] = await freePorts(1);
	return await folder.during(
		async (n8n, client) => {
			const inspected = await LiveHeap.of(n8n.pid, port);
			return await work(new Stage(n8n, client, inspected));
		},
		{ ...heapSettings(port), N8N_CUSTOM_EXTENSIONS: OWN_NODES },
	);
}

class Stage {
	constructor(
		private readonly n8n: RunningN8n,
		private readonly client: N8nClient,
		private readonly inspected: LiveHeap,
	) {}

	async warmUp(contender: FileContender, access: EmulatorAccess): Promise<object> {
		this.write(contender, WARM_UP, FIRST_PHONE_OF_WARM_UP);
		const list = await this.publish('warm-up', contender, access);
		await list.run();
		// The garbage of the start would make room for some of the work. This also drops compiled code, so again:
		await this.inspected.use();
		return await list.run();
	}

	async run(
		contender: FileContender,
		access: EmulatorAccess,
		rows: number,
	): Promise<Omit<FileRun, 'charged' | 'chargedTwice'>> {
		const { pid } = this.n8n;
		this.write(contender, rows, FIRST_PHONE);
		const list = await this.publish('file', contender, access);
		resetPeakMemory(pid);
		const restBytes = memoryInUse(pid);
		const blocks = await watchBlocks(this.inspected);
		const cpuBefore = cpuSeconds([pid]);
		const { seconds, status } = await list.run();
		const cpu = cpuSeconds([pid]) - cpuBefore;
		const longestBlockMs = await blocks.longest();
		const longestWorkMs = await blocks.longestWork();
		return {
			name: contender.name,
			seconds,
			cpuSeconds: cpu,
			restBytes,
			peakBytes: peakMemory(pid),
			longestBlockMs,
			longestWorkMs,
			lost: status === 'success' ? rows - this.rowsWithResults(contender) : rows,
		};
	}

	/**
	 * The most that was in use beyond what n8n needs itself, with the bytes of files. Sampling collects all garbage, so
	 * nothing else is measured meanwhile.
	 */
	async liveHeapDuring(
		contender: FileContender,
		access: EmulatorAccess,
		rows: number,
	): Promise<{ bytes: number }> {
		this.write(contender, rows, FIRST_PHONE);
		const list = await this.publish('heap', contender, access);
		const between = Math.max(BETWEEN_HEAP_SAMPLES, (2 * rows) / HEAP_SAMPLES);
		const before = await this.liveHeap();
		let most = before;
		let isOver = false;
		const running = list.run().finally(() => {
			isOver = true;
		});
		while (!isOver) {
			await Promise.race([running, pause(between)]);
			most = Math.max(most, await this.liveHeap());
		}
		await running;
		return { bytes: most - before };
	}

	/** How long another workflow takes to respond. Not in `run`: an event takes n8n a tenth of a second of computing. */
	async runWithEvents(
		contender: FileContender,
		access: EmulatorAccess,
		rows: number,
	): Promise<{ longestMs: number }> {
		this.write(contender, rows, FIRST_PHONE);
		const list = await this.publish('responsive', contender, access);
		const events = await this.sendEvents();
		await list.run();
		return { longestMs: await events.stop() };
	}

	private async liveHeap(): Promise<number> {
		const { used } = await this.inspected.use();
		return used + (await this.inspected.evaluate('process.memoryUsage().arrayBuffers'));
	}

	private async publish(
		purpose: string,
		contender: FileContender,
		access: EmulatorAccess,
	): Promise<PostedList> {
		const { n8n, client } = this;
		// All n8ns share the folder, and a path can belong to only one workflow.
		const path = `${purpose}-${n8n.pid}`;
		const folder = filesOf(n8n.userFolder);
		const nodes = await contender.nodes(client, access, folder);
		const workflow = fileWorkflow(path, folder, nodes);
		return await PostedList.publishWorkflow(n8n, client, path, workflow);
	}

	private async sendEvents(): Promise<Watch> {
		const { n8n, client } = this;
		const path = `events-${n8n.pid}`;
		const { id } = await client.workflows.create(
			chain(`Events (${path})`, webhook(path), set('Answer', '{ "ok": true }')),
		);
		await client.workflows.publish(id);
		return watchRepeated(BETWEEN_EVENTS, async () => {
			const { status } = await callWebhook(productionUrl(n8n.url, path), { body: {} });
			if (status !== 200) throw new Error(`The webhook responded with ${status}`);
		});
	}

	private write({ files }: FileContender, rows: number, firstPhone: number): void {
		const folder = filesOf(this.n8n.userFolder);
		for (const [name, text] of Object.entries(files(rows, firstPhone))) {
			writeFileSync(join(folder, name), text);
		}
		rmSync(join(folder, OUTPUT), { force: true });
	}

	private rowsWithResults({ hasResults }: FileContender): number {
		const output = readFileSync(join(filesOf(this.n8n.userFolder), OUTPUT), 'utf8');
		return output.split('\n').filter(hasResults).length;
	}
}

/** The median for time and computing, the worst for everything else. */
function inAll(runs: readonly FileRun[]): FileRun {
	const [first] = runs;
	if (first === undefined) throw new Error('Nothing was measured');
	const of = (figure: Exclude<keyof FileRun, 'name'>) => runs.map((run) => run[figure]);
	return {
		name: first.name,
		seconds: median(of('seconds')),
		cpuSeconds: median(of('cpuSeconds')),
		restBytes: Math.min(...of('restBytes')),
		peakBytes: Math.max(...of('peakBytes')),
		longestBlockMs: Math.max(...of('longestBlockMs')),
		longestWorkMs: Math.max(...of('longestWorkMs')),
		lost: Math.max(...of('lost')),
		charged: Math.max(...of('charged')),
		chargedTwice: Math.max(...of('chargedTwice')),
	};
}
