import { writeFile } from 'node:fs/promises';

import { LATENCY_MS } from '../services';
import { LargeList } from '../../harness/workflows/largeLists';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/emulatedService';
import { type Emulator, startEmulator } from '../../emulator/emulator';
import { type Random, seededRandom } from '../../emulator/seededRandom';
import {
	connect,
	type N8nClient,
	type N8nProgram,
	processesInGroup,
	type RunningN8n,
	waitUntil,
	type WorkflowFile,
} from '../../harness';
import { nodeOf } from '../../harness/rest/workflowFile';
import { N8nInFolder } from './stages';
import { median } from '../statistics';
import { count } from '../table';
import { peakMemory, resetPeakMemory } from '../processFigures';
import { PART, type Resume, type ResumeRun } from './results';

const FIRST_PHONE = 79_160_000_000;
const LIMIT = 1_800_000;
const PROGRESS_EVERY = 30_000;
const STEPS_DONE = 'All parts are done.';

export interface ResumeSizes {
	/** Also checked in one part. */
	readonly short: number;
	readonly long: number;
	readonly kills: number;
	readonly seed: number;
}

/** Odd, so that one of them is the median. The pace of a shared machine differs from minute to minute. */
const ROUNDS = 3;

/**
 * A short list in one part, in several, and what n8n itself takes for these, in turns. Then a long one with n8n killed
 * during the run.
 */
export async function measureResume(
	program: N8nProgram,
	tarball: string,
	{ short, long, kills, seed }: ResumeSizes,
): Promise<Resume> {
	console.log(`Measuring: lists that outlive a run, kills by seed ${seed}`);
	const stages = { program, tarball, random: seededRandom(seed) };
	const plain: ResumeRun[] = [];
	const chunks: ResumeRun[] = [];
	const steps: number[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		plain.push(await inStage(stages, short, async (stage) => await stage.runWhole()));
		chunks.push(await inStage(stages, short, async (stage) => await stage.runInParts(0)));
		steps.push(await inStage(stages, short, async (stage) => await stage.runSteps()));
		const times = [plain.at(-1)?.seconds, chunks.at(-1)?.seconds, steps.at(-1)].map((seconds) =>
			seconds?.toFixed(1),
		);
		console.log(
			`  round ${round}: in one part ${times[0]} s, in parts ${times[1]} s, n8n's steps ${times[2]} s`,
		);
	}
	return {
		plain: inAll(plain),
		chunks: inAll(chunks),
		steps: { parts: short / PART, seconds: median(steps) },
		killed: await inStage(stages, long, async (stage) => await stage.runInParts(kills)),
	};
}

/** The median for time, the worst for everything else. */
function inAll(runs: readonly ResumeRun[]): ResumeRun {
	const [first] = runs;
	if (first === undefined) throw new Error('Nothing was measured');
	const worst = (figure: 'peakBytes' | 'lost' | 'chargedTwice') =>
		Math.max(...runs.map((run) => run[figure]));
	return {
		...first,
		seconds: median(runs.map(({ seconds }) => seconds)),
		peakBytes: worst('peakBytes'),
		lost: worst('lost'),
		chargedTwice: worst('chargedTwice'),
	};
}

interface Stages {
	readonly program: N8nProgram;
	readonly tarball: string;
	readonly random: Random;
}

async function inStage<T>(
	{ program, tarball, random }: Stages,
	numbers: number,
	measure: (stage: Stage) => Promise<T>,
): Promise<T> {
	const folder = await N8nInFolder.prepare(program, tarball);
	const emulator = await startEmulator({ latencyMs: LATENCY_MS, startingBalance: 1e9 });
	const stage = await Stage.open(folder, emulator, numbers, random);
	try {
		return await measure(stage);
	} catch (error) {
		console.error(`The end of n8n's log:\n${stage.n8n.log().slice(-3000)}`);
		throw error;
	} finally {
		await stage.n8n.stop();
		await emulator.close();
		folder.remove();
	}
}

/** One list in a series of n8ns, with an emulated service. */
class Stage {
	private peakBytes = 0;
	private seconds = 0;

	private constructor(
		private readonly folder: N8nInFolder,
		private readonly emulator: Emulator,
		private readonly numbers: number,
		private readonly random: Random,
		public n8n: RunningN8n,
		private client: N8nClient,
	) {}

	static async open(
		folder: N8nInFolder,
		emulator: Emulator,
		numbers: number,
		random: Random,
	): Promise<Stage> {
		const n8n = await folder.start();
		const client = await connect(n8n);
		const data = credentialData(emulator);
		await client.credentials.create('Call Verification account', CREDENTIAL_TYPE, data);
		return new Stage(folder, emulator, numbers, random, n8n, client);
	}

	/** The whole list in one part, so that a crash would lose it. */
	async runWhole(): Promise<ResumeRun> {
		return await this.runParts('one part', this.numbers, 0);
	}

	async runInParts(kills: number): Promise<ResumeRun> {
		return await this.runParts(`parts of ${count(PART)}`, PART, kills);
	}

	/** In seconds, what n8n takes to start the parts, and to read and write their files. Nothing is checked. */
	async runSteps(): Promise<number> {
		const list = await this.importList(PART, (file) => withoutChecks(file, this.numbers));
		await writeFile(list.fileOf('known-numbers.csv'), listOf(this.numbers));
		await this.measured(async () => await this.runToEnd(list));
		const problem = await list.end(this.client);
		if (!problem?.startsWith(STEPS_DONE)) throw new Error(`Not all parts ran: ${problem}`);
		return this.seconds;
	}

	private async importList(
		checksPerPart: number,
		change?: (file: WorkflowFile) => WorkflowFile,
	): Promise<LargeList> {
		const settings = {
			firstRun: true,
			maxCostPerRun: this.numbers,
			checksPerPart,
			busyMinutes: 0,
		};
		const list = await LargeList.import(this.client, this.n8n, settings, change);
		await list.writeList(listOf(this.numbers));
		return list;
	}

	private async runToEnd(list: LargeList): Promise<void> {
		await list.start(this.client);
		await this.until('the list is checked', async () => !(await list.isRunning(this.client)));
	}

	private async runParts(name: string, checksPerPart: number, kills: number): Promise<ResumeRun> {
		const list = await this.importList(checksPerPart);
		for (let kill = 1; kill <= kills; kill++) {
			const share = (kill - 1 + this.random()) / kills;
			const checks = Math.ceil(share * 0.9 * this.numbers) + 1;
			await this.measured(async () => {
				await list.start(this.client);
				await this.until(
					`${checks} checks are paid for`,
					async () => this.emulator.ledger.checks.length >= checks,
				);
			});
			console.log(`  killed after ${this.emulator.ledger.checks.length} checks`);
			await this.n8n.kill();
			this.n8n = await this.folder.start();
			this.client = await connect(this.n8n);
		}
		await this.measured(async () => await this.runToEnd(list));
		await list.end(this.client);
		return this.figures(name, kills, await list.checkedRows());
	}

	private async measured(work: () => Promise<void>): Promise<void> {
		processesInGroup(this.n8n.pid).forEach(resetPeakMemory);
		const started = performance.now();
		await work();
		this.seconds += (performance.now() - started) / 1000;
		const peaks = processesInGroup(this.n8n.pid).map(peakMemory);
		this.peakBytes = Math.max(
			this.peakBytes,
			peaks.reduce((sum, peak) => sum + peak, 0),
		);
	}

	private async until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
		let told = performance.now();
		await waitUntil(
			async () => {
				if (performance.now() - told > PROGRESS_EVERY) {
					told = performance.now();
					console.log(`  ${this.emulator.ledger.checks.length} of ${this.numbers} checked`);
				}
				return (await isTrue()) || undefined;
			},
			{ what, limit: LIMIT, longestPause: 250 },
		);
	}

	private figures(name: string, kills: number, rows: readonly string[]): ResumeRun {
		const { checks } = this.emulator.ledger;
		const different = new Set(checks.map(({ source }) => source)).size;
		const { numbers, seconds, peakBytes } = this;
		return {
			name,
			numbers,
			kills,
			seconds,
			peakBytes,
			lost: numbers - rows.filter((row) => row.includes(',TRUE,')).length,
			chargedTwice: checks.length - different,
		};
	}
}

/** Check File replaced by a node that counts the parts down, and ends the run after the last one. */
function withoutChecks(file: WorkflowFile, numbers: number): WorkflowFile {
	const rest = `($json.rest ?? ${numbers}) - ${PART}`;
	const outcome = `complete: false, rows: ${numbers}, not_checked: ${rest}, failed: 0, outdated: 0, cost: 0`;
	const last = `...(${rest} <= 0 && { error: '${STEPS_DONE}' })`;
	const countDown = nodeOf('Check File', 'n8n-nodes-base.set', 3.4, {
		mode: 'raw',
		jsonOutput: `={{ { ${outcome}, ${last} } }}`,
		// With the files.
		includeOtherFields: true,
	});
	const nodes = file.nodes.map((node) => (node.name === countDown.name ? countDown : node));
	return { ...file, nodes };
}

function listOf(numbers: number): string {
	const rows = Array.from(
		{ length: numbers },
		(_none, index) => `Person ${index},+${FIRST_PHONE + index},person${index}@example.com`,
	);
	return `${['name,phone,email', ...rows].join('\n')}\n`;
}
