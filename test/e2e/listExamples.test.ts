import { readFile, rm, writeFile } from 'node:fs/promises';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
	type Execution,
	filesOf,
	formUrl,
	itemsOf,
	waitUntil,
	withParameters,
	type WorkflowFile,
} from '../../harness';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import {
	publishExample,
	readExample,
	withChosenCredentials,
	withSettings,
} from '../../harness/workflows/examples';
import { HeldAnswers, patient } from './heldAnswers';
import { describeVisitors, PHONE } from './inBrowser';
import { describeLongInN8n } from './inN8n';
import { inCyrillic, withTranslatedLabels } from './translated';
import { savedAs, type SheetCell, sheetsOf, spreadsheet, valueOf } from './spreadsheet';

const ADDED = 'valid phone_e164 mobile operator country region reason checked_at'.split(' ');

/** As a Russian spreadsheet writes it, in windows-1251. The header is the first row. */
const MESSY = [
	['ID', 'ФИО', 'Телефон', 'Комментарий', 'valid', 'Счёт'],
	['0001', 'Иванова Анна', '8 (900) 000-00-01', ' с пробелами ', 'да', '1234567890123456'],
	['0002', 'Петров; Пётр', '+7 900 000-00-02', 'точка; запятая', '', '375291234567'],
	['0003', 'ООО "Ромашка"', '8 900 0000001', 'номер первой строки', '', ''],
	['0004', 'Smith, John', '+44 7700 900123', 'две\r\nстроки', '', '=1+1'],
	['0005', '', '', '', '', ''],
	['0006', 'Короткий', '12345', '', 'нет', '3,5'],
];

/** As an accounting program exports it: titles, an empty row, and two columns of the same name. */
const SHEET: ReadonlyArray<readonly SheetCell[]> = [
	['Отчёт по клиентам'],
	['Период:', new Date('2026-10-01'), 12.5],
	[],
	['id', 'name', 'phone', 'code', 'name', 'joined', 'share', 'paid', 'sum'],
	[
		...['007', 'Ann, "A"', 79_000_060_001, '1234567890123456', '-5'],
		...[new Date('2025-01-15'), 0.25, true, { formula: '1+1', result: 2 }],
	],
	[
		...['008', 'Бен', '8 (900) 006-00-02', 1_234_567_890_123_450, '=1+1'],
		...[new Date('2025-01-15T12:00Z'), 0.1 + 0.2, false, -1e21],
	],
	['', ' Вера ', '+7 900 006-00-01', '', '', '', 1_000_000.5],
	['009', 'две\nстроки; и | "ещё"', '', '+7', "'x", { error: '#N/A' }, '', '', 0],
	['', '', '', '', '', '', '', '', ''],
];
const TITLES = 3;
const WIDTH = 9;
const ownCells = (rows: ReadonlyArray<readonly unknown[]>) =>
	rows.map((row) => filled(row.slice(0, WIDTH)));
const OWN_CELLS = ownCells(SHEET.slice(0, -1).map((row) => row.map(valueOf)));

const answers = new HeldAnswers();

describeVisitors('check-list-form', { clock: answers.clock }, (n8n, openPage) => {
	let form: string;

	const folder = join(filesOf(n8n.userFolder), 'check-list-form');
	const publish = async (
		prefix: string,
		change = (example: WorkflowFile) => example,
		place = folder,
	) => {
		const { file } = await publishExample('check-list-form', prefix, n8n, {}, (example) =>
			change(withSettings(example, { folder: place })),
		);
		return formUrl(n8n.url, file);
	};

	beforeAll(async () => {
		mkdirSync(folder);
		form = await publish('list-examples');
	});

	test('gives a messy list back with every cell as it was, and a report', async () => {
		const paid = n8n.emulator.ledger.checks.length;
		const page = await send('клиенты.csv', inWindows1251(csvOf(MESSY, ';')));
		const list = await download(page, 'Download клиенты-checked.csv');
		const report = await download(page, 'Download this report');

		expect(list.name).toBe('клиенты-checked.csv');
		const [header = [], ...rows] = cellsOf(list.text, ';');
		expect(header).toEqual([...(MESSY[0] ?? []), 'result_valid', ...ADDED.slice(1)]);
		expect(rows.map((row) => row.slice(0, 6))).toEqual(MESSY.slice(1));
		expect(rows.map((row) => row.slice(6, 8))).toEqual([
			['TRUE', '+79000000001'],
			['TRUE', '+79000000002'],
			['TRUE', '+79000000001'],
			['TRUE', '+447700900123'],
			['', ''],
			['', ''],
		]);
		// Opened in a spreadsheet, its letters are right only with the mark.
		expect(list.text.startsWith('\uFEFF')).toBe(true);
		// The blank number and the short one are not sent, and the one that comes twice is sent once.
		expect(n8n.emulator.ledger.checks).toHaveLength(paid + 3);

		expect(report.name).toBe('клиенты-report.html');
		expect(report.text).toContain('4 of 6 rows have a valid number');
		expect(await page.locator('body').innerText()).toContain('read as windows-1251');
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
	});

	test('checks both phone columns of an export, below its titles', async () => {
		const titles = 'Отчёт по клиентам;;;\r\nПериод:;01.10.2026;;\r\n;;;\r\n';
		const table = [
			['ФИО', 'Телефон', 'Телефон', 'Комментарий'],
			['Иванова Анна', '8 (900) 000-00-01', '+7 900 000-00-02', 'мама; папа'],
			['Петров Пётр', '79000000002', '', ''],
		];
		const page = await send('1c.csv', inWindows1251(titles + csvOf(table, ';')));
		const { text } = await download(page, 'Download 1c-checked.csv');
		const report = await download(page, 'Download this report');

		expect(text.startsWith(`\uFEFF${titles}`)).toBe(true);
		const [header = [], ...rows] = cellsOf(text.slice(1 + titles.length), ';');
		const names = ['Телефон (1)', 'Телефон (2)'].map((column) =>
			ADDED.map((name) => `${name} (${column})`),
		);
		expect(header).toEqual([...(table[0] ?? []), ...names.flat()]);
		expect(rows.map((row) => row.slice(0, 4))).toEqual(table.slice(1));
		const numbers = rows.map((row) => [row[5], row[13]]);
		expect(numbers).toEqual([
			['+79000000001', '+79000000002'],
			['+79000000002', ''],
		]);
		expect(report.text).toContain('2 of 2 rows have a valid number');
	});

	test('leaves out a “sep=” line, after which spreadsheets show wrong letters, and keeps its delimiter', async () => {
		const page = await send(
			'sep.csv',
			Buffer.from('sep=;\r\nИмя;Телефон\r\nАнна;+79000000001\r\n'),
		);
		const { text } = await download(page, 'Download sep-checked.csv');
		expect(text.startsWith('\uFEFFИмя;Телефон;valid;')).toBe(true);
	});

	describe('gives a spreadsheet back as a spreadsheet', () => {
		test('with every cell as it was and the results as text, also when it is sent again, at no cost', async () => {
			// A list need not begin in the first cell of its sheet.
			const shifted = [[], ...SHEET.map((row) => ['', ...row])];
			const page = await send('клиенты.xlsx', spreadsheet(shifted));
			const { name, bytes } = await download(page, 'Download клиенты-checked.xlsx');
			expect(name).toBe('клиенты-checked.xlsx');
			expect(await typeOfList(page)).toBe(
				'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
			);
			const rows = await onlySheetOf(bytes);
			expect(ownCells(rows)).toEqual(OWN_CELLS);
			const results = rows.slice(TITLES).map((row) => filled(row.slice(WIDTH)));
			expect(results.map(([valid, number]) => [valid, number])).toEqual([
				['valid', 'phone_e164'],
				['TRUE', '+79000060001'],
				['TRUE', '+79000060002'],
				['TRUE', '+79000060001'],
				[undefined, undefined],
			]);
			const types = results.flat().map((cell) => typeof cell);
			expect(new Set(types)).toEqual(new Set(['string', 'undefined']));
			const text = await page.locator('body').innerText();
			expect(text).toContain('Only the first sheet was read');
			expect(text).toContain('format their column as a date');
			expect(text).toContain('Errors such as #N/A came back empty');
			expect(text).toContain('Blank rows above the list and blank columns on its left');
			expect(text).not.toContain('is now');

			await expectPaid(0, async () => {
				const again = await send(name, bytes);
				const second = await download(again, 'Download клиенты-checked.xlsx');
				expect(await onlySheetOf(second.bytes)).toEqual(rows);
			});
		});

		test('that can be sent again if rows are left', async () => {
			const list = spreadsheet([['phone'], ['+7 900 006-10-01'], [79_000_061_002]]);
			const limited = await publish('list-limited', (file) => withOptions(file, { maxChecks: 1 }));
			const page = await send('rest.xlsx', list, limited);
			expect(await page.locator('body').innerText()).toContain('1 of 2 cells could not be checked');
			const { bytes } = await download(page, 'Download rest-checked.xlsx');
			await expectPaid(1, async () => {
				const again = await send('rest-checked.xlsx', bytes);
				const { bytes: complete } = await download(again, 'Download rest-checked.xlsx');
				const rows = await onlySheetOf(complete);
				expect(rows.map((row) => row.slice(0, 3))).toEqual([
					['phone', 'valid', 'phone_e164'],
					['+7 900 006-10-01', 'TRUE', '+79000061001'],
					[79_000_061_002, 'TRUE', '+79000061002'],
				]);
			});
		});

		test.each(['xls', 'ods'])('in XLSX, if it was %s', async (format) => {
			const sheet = await savedAs(format, spreadsheet(SHEET), n8n.line);
			expect([...(await sheetsOf(sheet, n8n.line)).keys()]).toHaveLength(2);
			const page = await send(`list.${format}`, sheet);
			const { bytes } = await download(page, 'Download list-checked.xlsx');
			expect(ownCells(await onlySheetOf(bytes))).toEqual(OWN_CELLS);
			const text = await page.locator('body').innerText();
			expect(text).toContain(`Your ${format.toUpperCase()} file is now an XLSX file`);
		});

		test('or as CSV, if n8n cannot write it, because whatever was paid for comes out', async () => {
			const long = 'x'.repeat(40_000);
			const page = await send(
				'long.xlsx',
				spreadsheet([
					['phone', 'note'],
					['+79000060001', long],
				]),
			);
			const { text } = await download(page, 'Download long-checked.csv');
			expect(cellsOf(text, ',')[1]?.slice(0, 4)).toEqual([
				'+79000060001',
				long,
				'TRUE',
				'+79000060001',
			]);
			const why = await page.locator('body').innerText();
			expect(why).toMatch(/Your spreadsheet is now a CSV file, .* 32767 characters/);
		});

		test('unless the nodes for spreadsheets are deleted, as the note says', async () => {
			const url = await publish('list-csv', withoutSpreadsheets);
			const page = await send('only.csv', Buffer.from('phone\n+79000060001\n'), url);
			const { text } = await download(page, 'Download only-checked.csv');
			expect(text).toContain('+79000060001,TRUE');
			const refused = await send('list.xlsx', spreadsheet(SHEET), url);
			expect(await refused.locator('body').innerText()).toContain('The file is a spreadsheet');
		});

		async function onlySheetOf(bytes: Buffer): Promise<unknown[][]> {
			const [rows = [], ...others] = (await sheetsOf(bytes, n8n.line)).values();
			expect(others).toEqual([]);
			return rows.map(filled);
		}

		async function typeOfList(page: Page): Promise<unknown> {
			return await page.evaluate(
				"fetch(document.getElementById('list').href).then(({ headers }) => headers.get('content-type'))",
			);
		}
	});

	test('gives a list and a spreadsheet back in the same way when its labels are translated', async () => {
		const url = await publish('list-translated', withTranslatedLabels);
		const labels = { list: inCyrillic('Your list'), country: inCyrillic('Your country code') };
		const cells = [['Phone'], ['8 (900) 000-50-01'], ['+7 000 000-50-02']];
		const csv = Buffer.from(cells.map(([cell]) => `${cell}\n`).join(''));
		const page = await send('list.csv', csv, url, labels);
		const { text } = await download(page, 'Download list-checked.csv');
		const sheet = await send('sheet.xlsx', spreadsheet(cells), url, labels);
		const { bytes } = await download(sheet, 'Download sheet-checked.xlsx');
		const [rows = []] = (await sheetsOf(bytes, n8n.line)).values();
		for (const results of [cellsOf(text, ','), rows]) {
			expect(results.slice(1).map((row) => String(row[1]).toUpperCase())).toEqual([
				'TRUE',
				'FALSE',
			]);
		}
	});

	test('says why a file was not checked, and takes another one', async () => {
		const page = await send('orders.csv', Buffer.from('order,total\n1,2\n3,4\n'));
		const text = await page.locator('body').innerText();
		expect(text).toContain('This list was not checked');
		expect(text).toContain('“order”, “total”');
		const broken = await send('broken.xlsx', Buffer.from('PK\x03\x04 is not enough'));
		const why = await broken.locator('body').innerText();
		expect(why).toContain('This list was not checked');
		// Of n8n's own reader, and without the line of the Code node that passes it on.
		expect(why).toMatch(/corrupted|not in XLSX format|Unsupported/i);
		expect(why).not.toContain('[line');
		const empty = await send('empty.xlsx', spreadsheet([]));
		expect(await empty.locator('body').innerText()).toContain('The file is empty');

		await page.getByRole('link', { name: 'Check another list' }).click();
		await page.getByLabel('Your list').waitFor();
	});

	test('costs nothing when the same list is sent again, or another one with the same numbers', async () => {
		const numbers = ['+7 900 000-10-01', '+7 900 000-10-02', '+7 000 000-10-03'];
		const listOf = (header: string) => Buffer.from(`${header}\n${numbers.join('\n')}\n`);
		await expectPaid(3, async () => await send('mine.csv', listOf('Phone')));
		await expectPaid(0, async () => await send('mine.csv', listOf('Phone')));
		await expectPaid(0, async () => {
			const page = await send('colleague.csv', listOf('Телефон'));
			const { text } = await download(page, 'Download colleague-checked.csv');
			const [, ...rows] = cellsOf(text, ',');
			expect(rows.map((row) => row[1])).toEqual(['TRUE', 'TRUE', 'FALSE']);
		});
	});

	test('checks one list at a time, and says so to whoever sends another one', async () => {
		const listOf = (last: number) => Buffer.from(`Phone\n+7 900 000-20-0${last}\n`);
		const release = answers.hold(n8n.emulator);
		const sent = n8n.emulator.ledger.requests.length;
		const first = send('first.csv', listOf(1));
		await waitUntil(async () => n8n.emulator.ledger.requests.length > sent || undefined, {
			what: 'the first list is being checked',
		});
		const second = await send('second.csv', listOf(2));
		release();
		const text = await second.locator('body').innerText();
		expect(text).toContain('Another list is being checked');
		await download(await first, 'Download first-checked.csv');
		await expectPaid(1, async () => {
			await download(await send('second.csv', listOf(2)), 'Download second-checked.csv');
		});
	});

	test('pays for nothing if the known numbers are missing or empty, and names their file', async () => {
		const list = Buffer.from('Phone\n+7 900 000-30-01\n');
		await expectPaid(1, async () => await send('known.csv', list));
		const run = await readFile(join(folder, 'phones-run.json'), 'utf8');
		const name = /.*"known":"([^"]+)"/s.exec(run)?.[1] ?? '';
		const known = await readFile(join(folder, name));
		await expectPaid(0, async () => {
			await rm(join(folder, name));
			const missing = await send('known.csv', list);
			expect(await missing.locator('body').innerText()).toContain(
				`${name} is missing in ${folder}`,
			);
			await writeFile(join(folder, name), '');
			const empty = await send('known.csv', list);
			expect(await empty.locator('body').innerText()).toContain(`${name} in ${folder} is empty`);
			await writeFile(join(folder, name), known);
			await download(await send('known.csv', list), 'Download known-checked.csv');
		});
	});

	test('checks lists where n8n cannot write, too, and says that results are not kept', async () => {
		const place = join(folder, 'nowhere');
		const page = await send(
			'list.csv',
			Buffer.from('Phone\n+7 900 000-40-01\n'),
			await publish('list-nowhere', undefined, place),
		);
		await download(page, 'Download list-checked.csv');
		const text = await page.locator('body').innerText();
		expect(text).toContain(`The results are not kept for other lists`);
		expect(text).toContain(`${place} cannot be used`);
	});

	async function expectPaid(checks: number, work: () => Promise<unknown>): Promise<void> {
		const before = n8n.emulator.ledger.checks.length;
		await work();
		expect(n8n.emulator.ledger.checks.length - before).toBe(checks);
	}

	/** Sends the file as someone with a phone does, and returns the page that follows. */
	async function send(
		name: string,
		buffer: Buffer,
		url = form,
		labels = { list: 'Your list', country: 'Your country code' },
	): Promise<Page> {
		const page = await openPage(PHONE);
		await page.goto(url);
		const mimeType = 'application/octet-stream';
		await page.getByLabel(labels.list).setInputFiles({ name, mimeType, buffer });
		await page.getByLabel(labels.country).fill('7');
		await page.getByRole('button', { name: 'Check' }).click();
		await page.getByRole('link', { name: 'Check another list' }).waitFor();
		return page;
	}

	async function download(page: Page, name: string) {
		const link = page.getByRole('link', { name });
		const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
		const bytes = await readFile(await file.path());
		return { name: file.suggestedFilename(), bytes, text: bytes.toString() };
	}
});

describeLongInN8n('check-list-schedule', { clock: answers.clock }, (n8n) => {
	const folder = join(filesOf(n8n.userFolder), 'check-list-schedule');

	let seen = 0;

	beforeEach(async () => {
		await rm(folder, { recursive: true, force: true });
		mkdirSync(folder);
		paid();
	});

	test('fails when there is no list, starts without an earlier result, pays for new rows only, and fails when rows are left', async () => {
		const unset = await run('2026-01', { defaultCountryCode: '' });
		expect(unset.error?.message).toContain('defaultCountryCode in Settings is empty');
		const missing = await run('2026-01');
		expect(missing.error?.message).toContain(`There is no phones.csv in ${folder}`);

		const first = 'name,phone\nAnn,+7 900 000-00-01\nBen,+44 7700 900123\nCara,+7 000 000-00-01\n';
		await writeList(first);
		const unsaid = await run('2026-01', { firstRun: false });
		expect(unsaid.error?.message).toContain(`There is no known-numbers.csv in ${folder}`);
		expect(paid()).toEqual([]);
		expect((await run('2026-01')).error).toBeUndefined();
		expect(paid()).toHaveLength(3);

		// February was forgotten.
		const second = `${first}Dev,+7 900 000-00-02\n`;
		await writeList(second);
		const march = await run('2026-03', { firstRun: false });
		expect(march.error).toBeUndefined();
		expect(paid()).toEqual(['+7 900 000-00-02']);

		await writeList(`${second}Eve,+7 916 123-45-67\nFay,+7 916 123-45-68\n`);
		const april = await run('2026-04', {}, { maxChecks: 1 });
		expect(april.error?.message).toMatch(
			/^\d of 6 cells could not be checked\. .*phones-checked-2026-04\.csv/,
		);
		expect(itemsOf(april, 'Check File')).toEqual([
			expect.objectContaining({ rows: 6, valid: 4, not_checked: 1, complete: false }),
		]);

		expect(readdirSync(folder).sort()).toEqual([
			'known-numbers-2.csv',
			'known-numbers.csv',
			...['2026-01', '2026-03', '2026-04'].map((month) => `phones-checked-${month}.csv`),
			...['2026-01', '2026-03', '2026-04'].map((month) => `phones-report-${month}.html`),
			'phones-run.json',
			'phones.csv',
		]);
		const written = cellsOf(await contentOf('phones-checked-2026-03.csv'), ',');
		expect(written.map((row) => row.slice(0, 2))).toEqual(cellsOf(second, ','));
		expect(written.map((row) => row[2])).toEqual(['valid', 'TRUE', 'TRUE', 'FALSE', 'TRUE']);
		expect(await contentOf('phones.csv')).toContain(second);
	});

	test('pays for nothing again after a month with a shorter list', async () => {
		await writeList(listOf(1, 2, 3));
		await run('2026-01');
		await writeList(listOf(1));
		await run('2026-02');
		expect(paid()).toHaveLength(3);
		await writeList(listOf(1, 2, 3));
		expect((await run('2026-03')).error).toBeUndefined();
		expect(paid()).toEqual([]);
	});

	test('spends in a month what it may, over all runs, and the report has their sum', async () => {
		await writeList(listOf(...Array(6).keys()));
		const first = await run('2026-05', { maxCostPerMonth: 0.2 });
		expect(first.error?.message).toContain('2 of 6 cells could not be checked');
		expect(paid()).toHaveLength(4);
		expect(await contentOf('phones-report-2026-05.html')).toContain(costOf('0.20', 'this month'));
		expect(await contentOf('phones-report-2026-05.html')).toContain('<p>Not paid for: ');
		const second = await run('2026-05', { maxCostPerMonth: 0.2 });
		expect(second.error?.message).toContain('The runs of 2026-05 have cost 0.2');
		expect(paid()).toEqual([]);

		expect((await run('2026-05')).error).toBeUndefined();
		expect(paid()).toHaveLength(2);
		const report = await contentOf('phones-report-2026-05.html');
		expect(report).toContain(costOf('0.30', 'this month, 2 runs'));
		expect(report).toContain('<p>Not paid for in the last run: ');
		// Nothing is left to pay for, and the report does not forget what was paid.
		expect((await run('2026-05')).error).toBeUndefined();
		expect(paid()).toEqual([]);
		const last = await contentOf('phones-report-2026-05.html');
		expect(last).toContain(costOf('0.30', 'this month, 3 runs'));

		await writeList(listOf(...Array(8).keys()));
		expect((await run('2026-06', { maxCostPerMonth: 0.2 })).error).toBeUndefined();
		expect(paid()).toHaveLength(2);
	});

	test.each(['known-numbers.csv', 'phones-checked-2026-01.csv', 'phones.csv'])(
		'pays for nothing if %s is empty, and names it',
		async (name) => {
			await writeList(listOf(1));
			await run('2026-01');
			await writeList(listOf(1, 2));
			await writeFile(join(folder, name), '');
			paid();
			const { error } = await run('2026-02');
			expect(error?.message).toContain(`${name} in ${folder} is empty`);
			expect(paid()).toEqual([]);
		},
	);

	test('pays for nothing if the known numbers are missing, and names their file', async () => {
		await writeList(listOf(1));
		await run('2026-01');
		await rm(join(folder, 'known-numbers.csv'));
		paid();
		const { error } = await run('2026-02');
		expect(error?.message).toContain(`known-numbers.csv is missing in ${folder}`);
		expect(paid()).toEqual([]);
	});

	test('of two runs that start at the same moment, one is refused', async () => {
		await writeList(listOf(1, 2, 3));
		const release = answers.hold(n8n.emulator);
		const runs = [run('2026-01'), run('2026-01')];
		await Promise.race(runs);
		release();
		const refused = (await Promise.all(runs)).flatMap(({ error }) => error?.message ?? []);
		expect(refused).toEqual([
			expect.stringContaining('Another run is checking a list in this folder'),
		]);
		expect(paid()).toHaveLength(3);
	});

	test('can be published', async () => {
		const { id } = await n8n.client.workflows.create(await readExample('check-list-schedule'));
		await n8n.client.workflows.publish(id);
		await n8n.client.workflows.unpublish(id);
	});

	/** What was paid for since the last time. */
	function paid(): string[] {
		const checks = n8n.emulator.ledger.checks.slice(seen).map(({ source }) => source);
		seen += checks.length;
		return checks;
	}

	function listOf(...numbers: number[]): string {
		return `phone\n${numbers.map((number) => `+7 900 000-50-0${number}\n`).join('')}`;
	}

	function costOf(figure: string, runs: string): string {
		return `<div>Cost<b class="">${figure}</b><small>${runs}</small></div>`;
	}

	async function writeList(text: string): Promise<void> {
		await writeFile(join(folder, 'phones.csv'), text);
	}

	async function contentOf(name: string): Promise<string> {
		return await readFile(join(folder, name), 'utf8');
	}

	async function run(
		month: string,
		settings: Record<string, unknown> = {},
		limits: Record<string, number> = {},
	): Promise<Execution> {
		const example = withChosenCredentials(patient(await readExample('check-list-schedule')), {
			[CREDENTIAL_TYPE]: n8n.credential,
		});
		const file = withOptions(
			withSettings(example, {
				folder,
				month,
				defaultCountryCode: '7',
				firstRun: true,
				...settings,
			}),
			limits,
		);
		const { id } = await n8n.client.workflows.create(file);
		return await n8n.client.run(id);
	}
});

/** The example after a user has set these options in Check File. */
function withOptions(file: WorkflowFile, options: Readonly<Record<string, number>>): WorkflowFile {
	const given = file.nodes.find(({ name }) => name === 'Check File')?.parameters?.options;
	return withParameters(file, 'Check File', { options: { ...Object(given), ...options } });
}

/** check-list-form after a user has deleted the nodes for spreadsheets. */
function withoutSpreadsheets(file: WorkflowFile): WorkflowFile {
	const deleted = [
		'Spreadsheet?',
		'Read Spreadsheet',
		'Spreadsheet to CSV',
		'CSV to Rows',
		'Rows to XLSX',
	];
	const connections = Object.entries(file.connections)
		.filter(([name]) => !deleted.includes(name))
		.map(([name, { main = [] }]) => {
			const left = main.map(
				(output) => output?.filter(({ node }) => !deleted.includes(node)) ?? [],
			);
			return [name, { main: left }] as const;
		});
	return {
		...file,
		nodes: file.nodes.filter(({ name }) => !deleted.includes(name)),
		connections: {
			...Object.fromEntries(connections),
			Settings: { main: [[{ node: 'Claim', type: 'main', index: 0 }]] },
		},
	};
}

/** Up to the last cell that is not empty. */
function filled(row: readonly unknown[]): unknown[] {
	return [...row].slice(0, row.findLastIndex((cell) => cell !== undefined) + 1);
}

function csvOf(rows: ReadonlyArray<readonly string[]>, delimiter: string): string {
	const quoted = (cell: string) =>
		/[";\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
	return rows.map((row) => `${row.map(quoted).join(delimiter)}\r\n`).join('');
}

/** Reads a CSV file in a way of its own, so that it does not repeat a mistake of the node. */
function cellsOf(text: string, delimiter: string): string[][] {
	const parts = text
		.replace(/^\uFEFF/, '')
		.matchAll(
			new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|\\n|$)`, 'g'),
		);
	const rows: string[][] = [[]];
	for (const [whole, quoted, plain = '', end = ''] of parts) {
		if (whole === '') break;
		rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
		if (end !== delimiter) rows.push([]);
	}
	return rows.filter((row) => row.length > 0);
}

function inWindows1251(text: string): Buffer {
	const decoder = new TextDecoder('windows-1251');
	const letters = new Map(
		[...Array(256).keys()].map((byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
	);
	return Buffer.from([...text].map((letter) => letters.get(letter) ?? 0));
}
