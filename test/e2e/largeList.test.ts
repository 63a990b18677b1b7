import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { sameNumberKey } from '../../nodes/CallVerification/api/phone';
import type { Emulator } from '../../emulator/emulator';
import { startService } from '../../harness/service';
import { seededRandom } from '../../emulator/seededRandom';
import {
	connect,
	type N8nClient,
	n8nProgram,
	type RunningN8n,
	startN8n,
	waitUntil,
} from '../../harness';
import { launchChromium } from '../../harness/browser/chromium';
import { describeIfChromium } from './inBrowser';
import { isDark, pageWidth, unreadableTexts } from '../../harness/browser/readability';
import { type Instance, instances } from './instances';
import { LargeList, type LargeListSettings, makeOlder } from '../../harness/workflows/largeList';
import { csvOf, keyOf, keysOf, listRows } from './largeListRows';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';

const CHUNK = 250;
const LIMIT = 400_000;
const PRICE = 0.05;
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const random = seededRandom(seed);

/** n8n 1.x gets a shorter list: the workflow is the same, and CI time is short. */
const SIZES = { '2.x': { rows: 5_000, kills: 2 }, '1.x': { rows: 1_200, kills: 1 } };
const NEW_ROWS = 240;
const OLD_ROWS = 100;
const AFFORDABLE = 500;
const STOPPED_ROWS = 1_800;

describe.each(instances)('check-large-list in n8n $version', (instance) => {
	const { rows: size, kills } = SIZES[instance.line];
	const rows = listRows(size);
	let stage: Stage;

	beforeAll(async () => {
		console.log(`n8n ${instance.version}: kills by SEED=${seed}`);
		stage = await Stage.open(instance);
	}, LIMIT);

	afterAll(async () => await stage?.close());

	test(
		`${size} rows, and n8n killed meanwhile: every row has a result, and at most a chunk per kill is paid twice`,
		async () => {
			const { emulator, list } = stage;
			await list.writeList(csvOf(rows));
			for (let kill = 1; kill <= kills; kill++) {
				const share = (kill - 1 + random()) / kills;
				await stage.killAfter(Math.ceil(share * 0.9 * keysOf(rows).size) + 1);
			}
			const before = emulator.ledger.checks.length;
			await stage.run();

			expect(await list.checkedRows()).toEqual([
				'name,phone,email,valid,operator,country,reason',
				...rows.map((row) => expect.stringMatching(resultOf(row))),
			]);
			const paid = emulator.ledger.checks.length;
			expect(new Set(paidKeys(emulator))).toEqual(keysOf(rows));
			expect(paid - keysOf(rows).size).toBeLessThanOrEqual(kills * CHUNK);
			await expectReportOf(list, emulator, rows, before);
		},
		LIMIT,
	);

	test(
		'a day later, only new rows are paid for',
		async () => {
			const { emulator, list } = stage;
			await makeOlder(stage.client, 1);
			const added = listRows(NEW_ROWS, size);
			await list.writeList(csvOf([...rows, ...added]));
			const before = emulator.ledger.checks.length;
			await stage.run();

			expect(new Set(paidKeys(emulator, before))).toEqual(keysOf(added));
			expect(emulator.ledger.checks).toHaveLength(before + keysOf(added).size);
			expect(keysOf(added).size).toBe(200);
			await expectReportOf(list, emulator, [...rows, ...added], before);
		},
		LIMIT,
	);

	test(
		'results that are too old are checked and paid for again',
		async () => {
			const { emulator } = stage;
			await makeOlder(stage.client, 31, OLD_ROWS);
			const before = emulator.ledger.checks.length;
			await stage.run();

			const again = emulator.ledger.checks.length - before;
			expect(again).toBeGreaterThan(OLD_ROWS / 2);
			expect(again).toBeLessThan(OLD_ROWS);
			expect(new Set(paidKeys(emulator, before)).size).toBe(again);
			// The old results have been replaced: the same list now costs nothing.
			await stage.run();
			expect(emulator.ledger.checks).toHaveLength(before + again);
		},
		LIMIT,
	);

	test(
		'the cost limit holds across a kill, and the rest is checked when it is raised',
		async () => {
			const { emulator } = stage;
			const fresh = listRows(1_200, 2 * size);
			const total = keysOf(fresh).size;
			const spentBefore = await stage.reportedTotal();
			const before = emulator.ledger.checks.length;
			const paid = () => costOf(emulator, before);
			await stage.enter({ maxTotalCost: spentBefore + PRICE * AFFORDABLE });
			await stage.list.writeList(csvOf(fresh));
			await stage.killAfter(before + Math.ceil(random() * 300) + 1);
			await stage.run();

			expect(paid()).toBeLessThanOrEqual(PRICE * AFFORDABLE + 1e-6);
			// Checks in flight at the kill may have been charged, so they count against the limit.
			expect(paid()).toBeGreaterThanOrEqual(PRICE * (AFFORDABLE - CHUNK) * 0.9);
			const unchecked = (await stage.list.checkedRows()).filter((row) =>
				row.includes('Not checked'),
			);
			expect(unchecked.length).toBeGreaterThan(0);
			expect(unchecked[0]).toContain('Not checked: the cost limit');
			await stage.run();
			expect(paid()).toBeLessThanOrEqual(PRICE * AFFORDABLE + 1e-6);

			await stage.enter({ maxTotalCost: 0 });
			await stage.run();
			expect(new Set(paidKeys(emulator, before)).size).toBe(total);
			expect(emulator.ledger.checks.length - before - total).toBeLessThanOrEqual(CHUNK);
		},
		LIMIT,
	);

	test(
		'Stop in the editor ends the list; restarted at once, it continues, and at most one chunk is paid twice',
		async () => {
			const { emulator, list } = stage;
			const fresh = listRows(STOPPED_ROWS, 4 * size);
			const total = keysOf(fresh).size;
			const before = emulator.ledger.checks.length;
			await list.writeList(csvOf(fresh));
			// In the third or fourth chunk: results stored before must count.
			await stage.stopAfter(before + 2 * CHUNK + Math.ceil(random() * CHUNK) + 1);
			const atStop = emulator.ledger.checks.length - before;
			await stage.run();

			expect(atStop).toBeLessThan(total - CHUNK);
			expect(await list.checkedRows()).toEqual([
				'name,phone,email,valid,operator,country,reason',
				...fresh.map((row) => expect.stringMatching(resultOf(row))),
			]);
			expect(new Set(paidKeys(emulator, before))).toEqual(keysOf(fresh));
			expect(emulator.ledger.checks.length - before - total).toBeLessThanOrEqual(CHUNK);
		},
		LIMIT,
	);

	describeIfChromium('the report in a browser', () => {
		let browser: Browser;

		beforeAll(async () => {
			browser = await launchChromium();
		});

		afterAll(async () => await browser?.close());

		test.each([
			['light', 1280],
			['light', 390],
			['dark', 1280],
			['dark', 390],
		] as const)('is readable: %s, %d pixels wide', async (colorScheme, width) => {
			const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
			const page = await context.newPage();
			await page.goto(pathToFileURL(stage.list.fileOf('phones-report.html')).href);
			const { REPORT_PICTURES } = process.env;
			if (REPORT_PICTURES !== undefined) {
				const path = join(REPORT_PICTURES, `${instance.line}-${colorScheme}-${width}.png`);
				await page.screenshot({ path, fullPage: true });
			}

			expect(await unreadableTexts(page)).toEqual([]);
			expect(await pageWidth(page)).toBe(width);
			expect(await page.locator('svg').count()).toBeGreaterThan(5);
			expect(await isDark(page)).toBe(colorScheme === 'dark');
			await context.close();
		});
	});
});

/** A separate n8n that can be killed, with an emulated service and the example. */
class Stage {
	private constructor(
		private readonly instance: Instance,
		private readonly userFolder: string,
		readonly emulator: Emulator,
		private n8n: RunningN8n,
		public client: N8nClient,
		public list: LargeList,
	) {}

	static async open(instance: Instance): Promise<Stage> {
		const userFolder = await mkdtemp(join(tmpdir(), 'call-verification-large-'));
		const nodes = join('.n8n', 'nodes');
		await cp(join(instance.userFolder, nodes), join(userFolder, nodes), { recursive: true });
		const emulator = await startService({ latencyMs: 5, startingBalance: 1e6 });
		const n8n = await startN8n(await n8nProgram(instance.line), { userFolder, startLimit: LIMIT });
		const client = await connect(n8n);
		await client.credentials.create(
			'Call Verification account',
			CREDENTIAL_TYPE,
			credentialData(emulator),
		);
		const list = await LargeList.import(client, n8n, { maxTotalCost: 0 });
		return new Stage(instance, userFolder, emulator, n8n, client, list);
	}

	/** Starts the list, kills n8n once this many checks are paid for, and restarts n8n. */
	async killAfter(checks: number): Promise<void> {
		await this.startUntil(checks);
		await this.n8n.kill();
		await waitUntil(async () => this.emulator.ledger.inFlight === 0 || undefined, {
			what: 'the service is idle',
			limit: 30_000,
		});
		const program = await n8nProgram(this.instance.line);
		this.n8n = await startN8n(program, { userFolder: this.userFolder, startLimit: LIMIT });
		this.client = await connect(this.n8n);
	}

	/** Starts the list, and stops its execution as the editor does once this many checks are paid for. */
	async stopAfter(checks: number): Promise<void> {
		await this.startUntil(checks);
		await this.list.stop(this.client);
		await waitUntil(async () => !(await this.list.isRunning(this.client)) || undefined, {
			what: 'the execution has stopped',
			limit: LIMIT,
		});
	}

	private async startUntil(checks: number): Promise<void> {
		const { ledger } = this.emulator;
		await this.list.start(this.client);
		await waitUntil(async () => ledger.checks.length >= checks || undefined, {
			what: `${checks} checks are paid for`,
			limit: LIMIT,
			longestPause: 20,
			seen: () => `${ledger.checks.length} checks. n8n's log ends: ${this.n8n.log().slice(-500)}`,
		});
	}

	async run(): Promise<void> {
		await this.list.run(this.client, LIMIT);
	}

	/** Changes the example's settings; the table stays. */
	async enter(settings: LargeListSettings): Promise<void> {
		this.list = await LargeList.import(this.client, this.n8n, settings);
	}

	async reportedTotal(): Promise<number> {
		return Number((await reportOf(this.list)).costInAll);
	}

	async close(): Promise<void> {
		await this.n8n.stop();
		await this.emulator.close();
		await rm(this.userFolder, { recursive: true, force: true, maxRetries: 3 });
	}
}

function paidKeys({ ledger }: Emulator, from = 0): string[] {
	return ledger.checks.slice(from).map(({ source }) => sameNumberKey(source));
}

function costOf({ ledger }: Emulator, from: number): number {
	return ledger.checks.slice(from).reduce((sum, { cost }) => sum + cost, 0);
}

/** The original row followed by a result. */
function resultOf(row: string): RegExp {
	const start = row.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	return new RegExp(`^${start},(TRUE,[^,]+,[^,]+,|FALSE,,,.+)$`);
}

async function reportOf(list: LargeList): Promise<Record<string, string>> {
	const html = await readFile(list.fileOf('phones-report.html'), 'utf8');
	const figures = [...html.matchAll(/id="(\w+)">([\d.,]+)</g)];
	return Object.fromEntries(figures.map(([, name, value]) => [name, value?.replaceAll(',', '')]));
}

/** Expects the report to agree with the service's ledger. */
async function expectReportOf(
	list: LargeList,
	{ ledger }: Emulator,
	rows: readonly string[],
	startedAt: number,
): Promise<void> {
	const known = new Map(ledger.checks.map((check) => [sameNumberKey(check.source), check]));
	const keys = rows.map(keyOf);
	const checked = keys.flatMap((key) => known.get(key) ?? []);
	const different = keysOf(rows);
	const now = ledger.checks.slice(startedAt);
	const sum = (costs: number[]) => costs.reduce((all, cost) => all + cost, 0).toFixed(2);
	const valid = checked.filter((check) => check.valid).length;
	expect(await reportOf(list)).toEqual({
		valid: String(valid),
		invalid: String(rows.length - valid),
		failed: '0',
		duplicates: String(keys.filter((key) => key !== '').length - different.size),
		rows: String(rows.length),
		numbers: String(different.size),
		blank: String(keys.filter((key) => key === '').length),
		checkedNow: String(now.length),
		costNow: sum(now.map(({ cost }) => cost)),
		costOfResults: sum([...different].map((key) => known.get(key)?.cost ?? 0)),
		costInAll: expect.any(String),
	});
}
