import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { z } from 'zod';
import { sameNumberKey } from '../../nodes/CallVerification/phones/phone';
import { seededRandom } from '../../emulator/seededRandom';
import { waitUntil } from '../../harness';
import {
	isDark,
	launchChromium,
	PAGE_LIMIT,
	pageWidth,
	unreadableTexts,
} from '../../harness/browser/chromium';
import { HeldAnswers, patient } from './heldAnswers';
import { describeIfChromium } from './inBrowser';
import { describeLongInOwnN8n, type InOwnN8n } from './inN8n';
import { LargeList, type LargeListSettings } from '../../harness/workflows/largeLists';
import { csvOf, keysOf, listRows } from './largeListRows';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';

const PART = 250;
/** For one run. */
const LIMIT = 900_000;
const PRICE = 0.05;
const HEADER = 'name,phone,email,valid,phone_e164,mobile,operator,country,region,reason,checked_at';
/** The files that are written in turn, and how phones-run.json notes the latest. */
const TURNS = ['phones-results', 'known-numbers'] as const;
const NOTES = { latest: z.number().optional(), known: z.string().optional() };
/** What a part notes when it ends. */
const state = z.object({
	spent: z.number(),
	paid: z.number(),
	startedAt: z.string(),
	ended: z.boolean().optional(),
});
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const random = seededRandom(seed);

/** n8n 1.x gets a shorter list: the workflow is the same, and CI time is short. */
const SIZES = { '2.x': { rows: 2_400, kills: 2 }, '1.x': { rows: 960, kills: 1 } };
const NEW_ROWS = 120;

// A run takes seconds, and minutes on a busy machine. Some tests start n8n anew meanwhile.
jest.setTimeout(2 * LIMIT);

const answers = new HeldAnswers();
const rich = () => ({
	service: { latencyMs: 5, startingBalance: 1e6, clock: answers.clock },
});

describeLongInOwnN8n('check-large-list', rich, (n8n) => {
	const { rows: size, kills } = SIZES[n8n.line];
	const rows = listRows(size);
	const numbers = keysOf(rows).size;
	let stage: Stage;

	beforeAll(async () => {
		console.log(`n8n ${n8n.version}: kills by SEED=${seed}`);
		stage = await Stage.open(n8n);
	});

	test.each([
		['there is no list', {}, 'There is no phones.csv in '],
		[
			'there is no country code',
			{ defaultCountryCode: '' },
			'defaultCountryCode in Settings is empty',
		],
		['freshDays is 0', { freshDays: 0 }, 'freshDays in Settings must be 1 or more'],
	])('says so if %s', async (_what, settings, message) => {
		expect(await stage.tryRun(settings)).toContain(message);
		expect(n8n.emulator.ledger.requests).toEqual([]);
	});

	test('says so if there are no known numbers and the run is not said to be the first', async () => {
		await stage.list.writeList(csvOf(rows));
		const message = await stage.tryRun({ firstRun: false });
		expect(message).toContain('There is no known-numbers.csv in ');
		expect(message).toContain('set firstRun to true in Settings');
		expect(n8n.emulator.ledger.requests).toEqual([]);
	});

	test(`${size} rows, and n8n killed meanwhile: every row has a result, and at most a part per kill is paid twice`, async () => {
		await stage.list.writeList(csvOf(rows));
		for (let kill = 1; kill <= kills; kill++) {
			const share = (kill - 1 + random()) / kills;
			await stage.killAfter(Math.ceil(share * 0.9 * numbers) + 1);
		}
		await stage.expectReportAfter(() => stage.run());

		expect(await stage.list.checkedRows()).toEqual([
			HEADER,
			...rows.map((row) => expect.stringMatching(resultOf(row))),
		]);
		expect(new Set(stage.paid())).toEqual(keysOf(rows));
		expect(stage.paid().length - numbers).toBeLessThanOrEqual(kills * PART);
	});

	test('its report has what all parts have cost and paid for', async () => {
		const added = listRows(3 * PART, 20 * size);
		await stage.list.writeList(csvOf(added));
		expect(await stage.unended()).toBeUndefined();
		await stage.expectReportAfter(() => stage.run());
	});

	test('after a shorter list, or with another one, known numbers cost nothing', async () => {
		await stage.list.writeList(csvOf(rows));
		expect(await stage.paidIn(() => stage.run())).toEqual([]);
		await stage.list.writeList(`Телефон\n${[...keysOf(rows)].map((key) => `+${key}\n`).join('')}`);
		expect(await stage.paidIn(() => stage.run())).toEqual([]);
	});

	test.each(TURNS)(
		'pays for nothing if the latest %s are missing or empty, and names their file',
		async (files) => {
			const [name] = await stage.turnsOf(files);
			const content = await stage.contentOf(name);
			await stage.list.writeList(csvOf(listRows(PART, 30 * size)));
			const problems: Array<string | undefined> = [];
			const paid = await stage.paidIn(async () => {
				await rm(stage.list.fileOf(name));
				problems.push(await stage.tryRun({}));
				await writeFile(stage.list.fileOf(name), '');
				problems.push(await stage.tryRun({}));
			});
			await writeFile(stage.list.fileOf(name), content);
			expect(problems).toEqual([
				expect.stringContaining(`${name} is missing in `),
				expect.stringMatching(`${name} in .* is empty`),
			]);
			expect(paid).toEqual([]);
		},
	);

	// The rest depends on the workflow and the node, not on the release of n8n.
	if (n8n.line === '2.x') {
		test('a crash while a file is being written loses nothing', async () => {
			await stage.list.writeList(csvOf(rows));
			await stage.run();
			for (const files of TURNS) {
				await truncate(stage.list.fileOf((await stage.turnsOf(files))[1]), 300);
			}
			expect(await stage.paidIn(() => stage.run())).toEqual([]);
			// Now both are whole again, and the note which one is the latest is lost.
			await writeFile(stage.list.fileOf('phones-run.json'), '');
			expect(await stage.paidIn(() => stage.run())).toEqual([]);
		});

		test('a second run at the same time is refused, and the first one ends as if nothing had happened', async () => {
			const added = listRows(2 * PART, size);
			await stage.list.writeList(csvOf([...rows, ...added]));
			const paid = await stage.paidIn(async () => {
				const release = answers.hold(n8n.emulator);
				await stage.startUntilAsked();
				const second = await stage.tryRun({ busyMinutes: 10 }).finally(release);
				expect(second).toContain('Another run is checking a list in this folder');
				expect(await stage.list.end(n8n.client, LIMIT)).toBeUndefined();
			});
			expect(paid.sort()).toEqual([...keysOf(added)].sort());
		});

		test('of two runs that start at the same moment, one is refused, and every number is paid for once', async () => {
			const added = listRows(PART, 9 * size);
			await stage.list.writeList(csvOf([...rows, ...added]));
			let problems: Array<string | undefined> = [];
			const paid = await stage.paidIn(async () => {
				const release = answers.hold(n8n.emulator);
				const starts = [1, 2].map(async () => await stage.tryRun({ busyMinutes: 10 }));
				await Promise.race(starts);
				release();
				problems = await Promise.all(starts);
			});
			const refused = problems.filter((problem) => problem !== undefined);
			expect(refused).toEqual([
				expect.stringContaining('Another run is checking a list in this folder'),
			]);
			expect(paid.sort()).toEqual([...keysOf(added)].sort());
		});

		test('a month later, only new rows are paid for; three months later, all', async () => {
			const added = listRows(NEW_ROWS, 2 * size);
			const list = [...rows, ...added];
			await stage.list.writeList(csvOf(list));
			await stage.makeOlder(31);
			const month = await stage.paidIn(() => stage.run());
			await stage.makeOlder(90);
			const quarter = await stage.paidIn(() => stage.run());

			const invalid = stage.invalid().filter((key) => keysOf(rows).has(key));
			expect(invalid.length).toBeGreaterThan(0);
			expect(month.sort()).toEqual([...keysOf(added)].sort());
			expect(quarter.sort()).toEqual([...keysOf(list)].sort());
		});

		test('when the money is out, new rows come first, and old results stay with their time', async () => {
			const added = listRows(NEW_ROWS, 3 * size);
			const list = [...rows, ...added];
			await stage.list.writeList(csvOf(list));
			const time = await stage.makeOlder(90);
			const maxCostPerRun = PRICE * (keysOf(added).size + 10);
			let message = '';
			const before = stage.cost();
			const paid = await stage.paidIn(async () => {
				message = (await stage.tryRun({ maxCostPerRun })) ?? '';
			});

			expect(stage.cost() - before).toBeLessThanOrEqual(maxCostPerRun + 1e-6);
			expect(paid).toEqual(expect.arrayContaining([...keysOf(added)]));
			const checked = await stage.list.checkedRows();
			expect(checked).toEqual([HEADER, ...list.map((row) => expect.stringMatching(resultOf(row)))]);
			const old = checked.filter((row) => row.endsWith(time)).length;
			expect(old).toBeGreaterThan(size / 2);
			expect(message).toContain(
				`${old} of ${list.length} cells are left: ${old} with an old result.`,
			);
		});

		test('a run with rows left ends as an error, keeps the last good file, and the next one continues', async () => {
			const fresh = listRows(600, 5 * size);
			await stage.list.writeList(csvOf(fresh));
			const good = await stage.contentOf('phones-checked.csv');
			let message = '';
			const before = stage.cost();
			const paid = await stage.paidIn(async () => {
				message = (await stage.tryRun({ maxCostPerRun: PRICE * 300 })) ?? '';
			});
			const cost = Number((stage.cost() - before).toFixed(6));

			expect(await stage.contentOf('phones-checked.csv')).toBe(good);
			const unfinished = await stage.list.rowsOf('phones-unfinished.csv');
			const count = (what: RegExp) => unfinished.filter((row) => what.test(row)).length;
			const left = count(/,"?not_checked: /);
			expect(cost).toBeGreaterThan(PRICE * 290);
			expect(cost).toBeLessThanOrEqual(PRICE * 300);
			expect(left).toBeGreaterThan(0);
			expect(message).toContain(
				`${left} of 600 cells are left: ${left} not checked. This run has cost ${cost}.`,
			);
			// Blank rows are free.
			expect(count(/,,person\d+@example.com,{7}empty,$/)).toBe(50);
			expect(count(/com,TRUE,\+/) + count(/com,FALSE,/) + 50 + left).toBe(600);

			const rest = await stage.paidIn(() => stage.run());
			expect([...paid, ...rest].sort()).toEqual([...keysOf(fresh)].sort());
			expect(await stage.contentOf('phones-checked.csv')).not.toBe(good);
		});

		test('when the service refuses the key, the run says so, and the next one is not locked out', async () => {
			const fresh = listRows(24, 7 * size);
			await stage.list.writeList(csvOf(fresh));
			const fault = n8n.emulator.faults.add({ kind: 'errorCode', code: 401 });
			expect(await stage.tryRun({ busyMinutes: 10 })).toContain('key');
			n8n.emulator.faults.remove(fault);
			expect(await stage.tryRun({ busyMinutes: 10 })).toBeUndefined();
		});

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
				context.setDefaultTimeout(PAGE_LIMIT);
				const page = await context.newPage();
				await page.goto(pathToFileURL(stage.list.fileOf('phones-report.html')).href);

				expect(await unreadableTexts(page)).toEqual([]);
				expect(await pageWidth(page)).toBe(width);
				expect(await isDark(page)).toBe(colorScheme === 'dark');
				await context.close();
			});
		});
	}

	test('Stop in the editor ends the list; restarted, it continues, and at most one part is paid twice', async () => {
		const fresh = listRows(1_200, 8 * size);
		await stage.list.writeList(csvOf(fresh));
		const paid = await stage.paidIn(async () => {
			// In the third part: the results of those before must count.
			await stage.startUntil(2 * PART + Math.ceil(random() * PART * 0.5));
			await stage.list.stop(n8n.client);
			await stage.list.end(n8n.client, LIMIT);
			await stage.list.lastPart(n8n.client, LIMIT);
			expect((await stage.unended())?.paid).toBeGreaterThanOrEqual(PART);
			await stage.expectReportAfter(() => stage.run());
		});

		expect(new Set(paid)).toEqual(keysOf(fresh));
		expect(paid.length - keysOf(fresh).size).toBeLessThanOrEqual(PART);
	});
});

/** The example, with the money spent on it. */
class Stage {
	private constructor(
		private readonly n8n: InOwnN8n,
		readonly list: LargeList,
	) {}

	static async open(n8n: InOwnN8n): Promise<Stage> {
		const { client, data } = n8n;
		await client.credentials.create('Call Verification account', CREDENTIAL_TYPE, data);
		return new Stage(n8n, await Stage.importList(n8n));
	}

	/** As someone sets it who knows that no other run is alive. */
	private static async importList(n8n: InOwnN8n, settings: LargeListSettings = {}) {
		const usual = { maxCostPerRun: 0, checksPerPart: PART, busyMinutes: 0, firstRun: true };
		return await LargeList.import(n8n.client, n8n, { ...usual, ...settings }, patient);
	}

	/** Starts the list, kills n8n once this many checks are paid for, and restarts n8n. */
	async killAfter(checks: number): Promise<void> {
		const { running, emulator } = this.n8n;
		await this.startUntil(checks - emulator.ledger.checks.length);
		await running.kill();
		await waitUntil(async () => emulator.ledger.inFlight === 0 || undefined, {
			what: 'the service is idle',
		});
		await this.n8n.boot();
	}

	/** Starts the list, and returns once this many more checks are paid for. */
	async startUntil(checks: number): Promise<void> {
		const { running, client, emulator } = this.n8n;
		const { ledger } = emulator;
		const enough = ledger.checks.length + checks;
		await this.list.start(client);
		await waitUntil(async () => ledger.checks.length >= enough || undefined, {
			what: `${checks} checks are paid for`,
			limit: LIMIT,
			longestPause: 20,
			seen: () => `${ledger.checks.length} checks. n8n's log ends: ${running.log().slice(-500)}`,
		});
	}

	/** Starts the list, and returns once the service is asked for the first check. */
	async startUntilAsked(): Promise<void> {
		const { client, emulator } = this.n8n;
		const { requests } = emulator.ledger;
		const before = requests.length;
		await this.list.start(client);
		await waitUntil(async () => requests.length > before || undefined, {
			what: 'the service is asked',
			limit: LIMIT,
			longestPause: 20,
		});
	}

	async run(): Promise<void> {
		await this.list.run(this.n8n.client, LIMIT);
	}

	/** Runs it once with other settings, and returns why it failed. */
	async tryRun(settings: LargeListSettings): Promise<string | undefined> {
		const list = await Stage.importList(this.n8n, settings);
		return await list.tryRun(this.n8n.client, LIMIT);
	}

	/** What a run has noted that has not ended. */
	async unended(): Promise<z.infer<typeof state> | undefined> {
		const lines = (await this.contentOf('phones-run.json')).split('\n').filter(Boolean);
		const last = lines.map((line) => state.safeParse(JSON.parse(line)).data).findLast(Boolean);
		return last?.ended ? undefined : last;
	}

	/** The report has what this has cost, and what a run had noted before that did not end. */
	async expectReportAfter(work: () => Promise<void>): Promise<void> {
		const { spent, paid } = (await this.unended()) ?? { spent: 0, paid: 0 };
		const { checks } = this.n8n.emulator.ledger;
		const before = checks.length;
		await work();
		const charged = checks.slice(before).filter(({ cost: price }) => price > 0);
		const cost = spent + charged.reduce((sum, { cost: price }) => sum + price, 0);
		const report = await this.contentOf('phones-report.html');
		const figure = Number(cost.toFixed(6)).toLocaleString('en', { minimumFractionDigits: 2 });
		expect(report).toContain(`<b class="">${figure}</b><small>this run</small>`);
		const count = (paid + charged.length).toLocaleString('en');
		expect(report).toContain(`<p>Paid for in this run: ${count}</p>`);
		expect(report).not.toContain('Not paid for');
	}

	/** The numbers that have been paid for. */
	paid(from = 0): string[] {
		return this.n8n.emulator.ledger.checks.slice(from).map(({ source }) => sameNumberKey(source));
	}

	/** The numbers that the service has called invalid, each once. */
	invalid(): string[] {
		const found = this.n8n.emulator.ledger.checks.filter(({ valid }) => !valid);
		return [...new Set(found.map(({ source }) => sameNumberKey(source)))];
	}

	cost(): number {
		return this.n8n.emulator.ledger.checks.reduce((sum, { cost }) => sum + cost, 0);
	}

	async paidIn(work: () => Promise<void>): Promise<string[]> {
		const before = this.n8n.emulator.ledger.checks.length;
		await work();
		return this.paid(before);
	}

	async contentOf(name: string): Promise<string> {
		return await readFile(this.list.fileOf(name), 'utf8');
	}

	/** The latest of two files that are written in turn, and the one before it. */
	async turnsOf(files: (typeof TURNS)[number]): Promise<[string, string]> {
		const lines = (await this.contentOf('phones-run.json')).split('\n').filter(Boolean);
		const noted = lines.map((line) => z.object(NOTES).parse(JSON.parse(line)));
		const latest = noted.findLast((line) => line.latest !== undefined)?.latest;
		const known = noted.findLast((line) => line.known !== undefined)?.known;
		const [name, turns] =
			files === 'phones-results'
				? [`phones-results-${latest}.csv`, ['phones-results-1.csv', 'phones-results-2.csv']]
				: [known ?? '', ['known-numbers.csv', 'known-numbers-2.csv']];
		return [name, turns.find((turn) => turn !== name) ?? ''];
	}

	/** Backdates all results so that they are this many days old. */
	async makeOlder(days: number): Promise<string> {
		const time = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
		const results = ['phones-results-1.csv', 'phones-results-2.csv'];
		for (const name of [...results, 'known-numbers.csv', 'known-numbers-2.csv']) {
			const text = await this.contentOf(name);
			await writeFile(this.list.fileOf(name), text.replace(TIME, time));
		}
		return time;
	}
}

/** The original row followed by a result. */
function resultOf(row: string): RegExp {
	const start = row.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	return new RegExp(`^${start},(?:(?:TRUE|FALSE),\\+\\d+,.*Z|,{6}empty,)$`);
}
