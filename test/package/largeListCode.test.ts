import { runInNewContext } from 'node:vm';
import { z } from 'zod';

import { read } from './project';

/** The Code nodes of the examples and recipes for lists, run without n8n. */

const workflow = z.object({
	nodes: z.array(
		z.object({ name: z.string(), parameters: z.object({ jsCode: z.string().optional() }) }),
	),
});

type Json = Record<string, unknown>;
interface Item {
	readonly json: Json;
	readonly binary?: Readonly<Record<string, { readonly data: string }>>;
}

/** Runs a Code node with the output of another node, often a single item; `input` is its direct input. */
async function runCode(
	example: string,
	nodeName: string,
	input: readonly Item[],
	other: Json | readonly Item[] = {},
): Promise<Item[]> {
	const others: readonly Item[] = isItems(other) ? other : [{ json: other }];
	const { nodes } = workflow.parse(JSON.parse(read(`examples/${example}.json`)));
	const code = nodes.find(({ name }) => name === nodeName)?.parameters.jsCode;
	if (code === undefined) throw new Error(`${example} has no Code node “${nodeName}”`);
	const helpers = {
		prepareBinaryData: async (bytes: Buffer, fileName: string) => ({
			data: bytes.toString('base64'),
			fileName,
		}),
		getBinaryDataBuffer: async (index: number, field: string) =>
			Buffer.from(input[index]?.binary?.[field]?.data ?? '', 'base64'),
	};
	const items: unknown = await runInNewContext(
		`(async function () {${code}\n}).call({ helpers })`,
		{
			$: () => ({
				isExecuted: true,
				first: () => others[0],
				all: () => others,
				params: { options: {} },
			}),
			$input: { all: () => input, first: () => input[0] },
			$execution: { id: '7' },
			Buffer,
			Date,
			Math: { random: () => 0.5, max: Math.max },
			helpers,
		},
	);
	return JSON.parse(JSON.stringify(items)) as Item[];
}

const isItems = (other: Json | readonly Item[]): other is readonly Item[] => Array.isArray(other);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const fileNamed = (fileName: string, text = fileName): Item => ({
	json: { fileName },
	binary: { data: { data: base64(text) } },
});
const contentOf = (item: Item | undefined, field: string) =>
	Buffer.from(item?.binary?.[field]?.data ?? '', 'base64').toString();
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe('check-large-list prepares a part', () => {
	const settings = {
		folder: '/files',
		defaultCountryCode: '7',
		freshDays: 85,
		maxCostPerRun: 10,
		busyMinutes: 10,
	};
	const results = [fileNamed('phones-results-1.csv'), fileNamed('phones-results-2.csv')];
	const list = fileNamed('phones.csv');
	const claimOf = (run: string, ago = 0) => ({ run, at: minutesAgo(ago), busyMinutes: 10 });
	/** Each run adds a line; the run that is prepared is called 7. */
	const afterLines = async (
		lines: ReadonlyArray<Json | string>,
		changes: Json = {},
		files = [...results, list],
	) => {
		const text = lines
			.map((line) => (typeof line === 'string' ? line : `\n${JSON.stringify(line)}`))
			.join('');
		const [item] = await runCode(
			'check-large-list',
			'Prepare',
			[...files, fileNamed('phones-run.json', text)],
			{ ...settings, run: '7', ...changes },
		);
		return item;
	};

	it.each([-1, null, undefined, '', 'x'])('not with maxCostPerRun %j', async (maxCostPerRun) => {
		const input = [{ json: { ...settings, maxCostPerRun } }];
		await expect(runCode('check-large-list', 'Claim', input)).rejects.toThrow(
			'maxCostPerRun in Settings must be a number',
		);
	});

	it('after a line of its own, which no other n8n writes', async () => {
		const [item] = await runCode('check-large-list', 'Claim', [{ json: settings }]);
		expect(item?.json).toMatchObject({ run: '7-i' });
		const line = contentOf(item, 'claim');
		expect(line).toMatch(/^\n/);
		expect(JSON.parse(line)).toEqual({ run: '7-i', at: expect.any(String), busyMinutes: 10 });
		const again = await runCode('check-large-list', 'Claim', [{ json: { ...settings, run: '3' } }]);
		expect(again[0]?.json).toMatchObject({ run: '3' });
	});

	it('from nothing', async () => {
		const item = await afterLines([claimOf('7')], { firstRun: true }, [list]);
		expect(item?.json).toMatchObject({
			run: '7',
			spent: 0,
			left: 10,
			resultsFile: '/files/phones-results-1.csv',
		});
		expect(item?.binary).not.toHaveProperty('earlier');
	});

	it('for a run that replaced another one, even if that one begins a part once more', async () => {
		const atOnce = (run: string) => ({ ...claimOf(run), busyMinutes: 0 });
		for (const lines of [
			[atOnce('3'), atOnce('7'), atOnce('3')],
			// Written after the other one, although it was made before it.
			[atOnce('3'), { ...atOnce('7'), at: minutesAgo(1) }],
		]) {
			expect((await afterLines(lines))?.json.problem).toBeUndefined();
		}
	});

	it.each([
		[1, 'phones-results-1.csv', '/files/phones-results-2.csv'],
		[2, 'phones-results-2.csv', '/files/phones-results-1.csv'],
	])('from results %d, and never over them', async (latest, earlier, resultsFile) => {
		const ended = { run: '3', at: minutesAgo(1), latest, ended: true };
		const item = await afterLines([claimOf('3', 2), ended, claimOf('7')]);
		expect(contentOf(item, 'earlier')).toBe(earlier);
		expect(contentOf(item, 'data')).toBe('phones.csv');
		expect(item?.json).toMatchObject({ resultsFile });
	});

	it('from what an earlier version of the example has written', async () => {
		const old = JSON.stringify({ at: minutesAgo(1), latest: 2 });
		expect(contentOf(await afterLines([old, claimOf('7')]), 'earlier')).toBe(
			'phones-results-2.csv',
		);
		const running = JSON.stringify({ run: '3', at: minutesAgo(1), latest: 2 });
		expect((await afterLines([running, claimOf('7')]))?.json.problem).toMatch(/^Another run/);
	});

	it.each(['', '{"run":"3"'])('from any results if the state is %j', async (state) => {
		expect(contentOf(await afterLines([state, claimOf('7')]), 'earlier')).toBe(
			'phones-results-1.csv',
		);
	});

	it('with what a run has paid for that has not ended, and never that of another one', async () => {
		const state = { run: '3', at: minutesAgo(20), latest: 2, known: 'known-numbers.csv' };
		const paidFor = { spent: 4, paid: 80, startedAt: minutesAgo(30) };
		const form = { ...claimOf('5', 12), busyMinutes: 1 };
		const crashed = [claimOf('3', 21), { ...state, ...paidFor }, form, { ...form, ended: true }];
		const files = [...results, list, fileNamed('known-numbers.csv')];
		const after = await afterLines([...crashed, claimOf('7')], {}, files);
		const { startedAt } = paidFor;
		expect(after?.json).toMatchObject({ spent: 0, left: 10, spentBefore: 4, paid: 80, startedAt });

		// In the next part, the line of the first one must not count once more.
		const part = { run: '7', spentBefore: 4, spent: 1, paid: 100, startedAt };
		const own = { ...state, run: '7', spent: 5, paid: 100, startedAt };
		const next = await afterLines([...crashed, claimOf('7'), own, claimOf('7')], part, files);
		expect(next?.json).toMatchObject({ ...part, left: 9 });

		const claimedAt = minutesAgo(0);
		const ended = [...crashed, claimOf('7'), { ...own, ended: true }, claimOf('8')];
		const fresh = await afterLines(ended, { run: '8', claimedAt }, files);
		expect(fresh?.json).toMatchObject({ spentBefore: 0, paid: 0, startedAt: claimedAt });
	});

	it('only in one of two runs that have started at the same moment', async () => {
		const lines = [claimOf('7'), claimOf('8')];
		expect((await afterLines(lines))?.json).toMatchObject({ left: 10 });
		const refused = await afterLines(lines, { run: '8' });
		expect(refused?.json.problem).toMatch(/^Another run is checking a list in this folder/);
		// Its line must not end the run that has the list.
		const ended = JSON.parse(contentOf(refused, 'run')) as Json;
		expect((await afterLines([...lines, ended]))?.json).toMatchObject({ left: 10 });
	});

	it('when the other run is dead, for the first one that asks', async () => {
		const lines = [claimOf('3', 11), claimOf('7'), claimOf('8')];
		expect((await afterLines(lines))?.json).toMatchObject({ left: 10 });
		expect((await afterLines(lines, { run: '8' }))?.json.problem).toMatch(/^Another run/);
		expect((await afterLines([claimOf('3', 9), claimOf('7')]))?.json.problem).toMatch(
			/^Another run/,
		);
	});

	it('not without a list, and the next run need not wait', async () => {
		const refused = await afterLines([claimOf('7')], {}, []);
		expect(refused?.json.problem).toMatch(/^There is no phones\.csv in \/files/);
		const ended = JSON.parse(contentOf(refused, 'run')) as Json;
		const next = await afterLines([claimOf('7'), ended, claimOf('8')], { run: '8' });
		expect(next?.json).toMatchObject({ left: 10 });
	});

	it.each([
		[10, 9.9, 0.1],
		[10, 10, 0.000001],
		[10, 10.1, 0.000001],
		[0, 9.9, 0],
	])(
		'of a run that may cost %d and has cost %d, with %d left',
		async (maxCostPerRun, spent, left) => {
			const item = await afterLines([claimOf('7')], { maxCostPerRun, spent });
			expect(item?.json).toMatchObject({ left });
		},
	);
});

describe('check-large-list ends a part', () => {
	const startedAt = minutesAgo(5);
	const money = { spentBefore: 2, spent: 1, paid: 60, maxCostPerRun: 0 };
	const part = { run: '3', latest: 1, next: 2, startedAt, rest: 900, ...money };
	const outcome = {
		rows: 1_000,
		valid: 90,
		invalid: 10,
		not_checked: 895,
		failed: 5,
		outdated: 0,
		paid: 1,
		cost: 0.05,
		complete: false,
	};
	const state = { run: '3', at: expect.any(String), latest: 2, spent: 3.05, paid: 61, startedAt };
	const html = '<div>Cost<b class="">0.05</b></div><p>Not paid for: duplicates 1, reused 8</p>';
	const files = { data: { data: base64('list') }, report: { data: base64(html) } };
	const ended = async (changes: Json, partBefore: Json = {}) => {
		const json = { ...outcome, ...changes };
		const before = { ...part, ...partBefore };
		const [item] = await runCode('check-large-list', 'Outcome', [{ json, binary: files }], before);
		return {
			json: item?.json ?? {},
			files: Object.keys(item?.binary ?? {}),
			report: contentOf(item, 'report'),
			state: JSON.parse(contentOf(item, 'run')) as Json,
		};
	};

	it('with another one while there is progress, and without files that n8n would keep', async () => {
		const { json, files: kept, state: written } = await ended({ not_checked: 894 });
		expect(json).toMatchObject({ then: 'more', spent: 1.05, cost: 3.05, paid: 61, rest: 899 });
		expect(kept).toEqual(['run']);
		expect(written).toEqual(state);
	});

	it('with what all parts have paid for, and what is left of all phone columns', async () => {
		const { json } = await ended({ cells: 2_000, paid: 5 }, { paid: 20 });
		expect(json).toMatchObject({ then: 'left', paid: 25, cost: 3.05 });
		expect(json.message).toMatch(/^900 of 2000 cells are left: 895 not checked, 5 failed\./);
	});

	it('and the run, when nothing is left', async () => {
		const end = await ended({ complete: true, not_checked: 0, failed: 0 });
		expect(end.state).toEqual({ ...state, ended: true });
	});

	it('with a report of what all parts have cost and paid for', async () => {
		const { report } = await ended({ complete: true, paid: 1_000 });
		expect(report).toBe('<div>Cost<b class="">3.05</b></div><p>Paid for in this run: 1,060</p>');
	});
});

describe('check-list-form', () => {
	it('reads the fields of its form by their order, whatever their labels are', async () => {
		const list = { data: base64('phone') };
		const uploads = [
			['Your list', 'Phone column', 'Your country code'],
			['Ваш список', 'Колонка', 'Код страны'],
		].map(async ([file = '', column = '', country = '']) => {
			const fields = { [file]: { filename: 'list.csv' }, [column]: null, [country]: '7' };
			const json = { ...fields, submittedAt: 'now', formMode: 'production' };
			const binary = { [file.replace(/\W/g, '_')]: list };
			return await runCode('check-list-form', 'Upload', [{ json, binary }]);
		});
		const json = { filename: 'list.csv', phoneColumn: null, defaultCountryCode: '7' };
		expect(await Promise.all(uploads)).toEqual(Array(2).fill([{ json, binary: { list } }]));
	});

	const upload = (filename: string) => ({ filename });
	const toCsv = async (rows: readonly unknown[][], filename = 'list.xlsx') => {
		const items = rows.map((row) => ({ json: { row } }));
		const [item] = await runCode('check-list-form', 'Spreadsheet to CSV', items, upload(filename));
		return contentOf(item, 'list');
	};

	it('makes a CSV file of a sheet without changing a number', async () => {
		const rows = [
			['Phone|Fax', 'Note', ''],
			[375291234567, 'a;"b"\n', null],
			['007', 0.1 + 0.2, true],
			['', ''],
		];
		expect(await toCsv(rows)).toBe(
			'"Phone|Fax",Note,\r\n375291234567,"a;""b""\n",\r\n007,0.3,TRUE\r\n',
		);
	});

	it('makes rows of the checked file, in which only results are text, and nothing is where a cell is empty', async () => {
		const sheet = [
			['Title', '', ''],
			['Phone', 'Note', 'Note'],
			[79_000_000_001, '_x0041_', true],
			['', '', 0.1 + 0.2],
		];
		const results = ['', ',valid,reason', ',TRUE,', ',,"a ""b"", c"'];
		const csv = await toCsv(sheet);
		const lines = csv.trimEnd().split('\r\n');
		const checked = lines.map((line, row) => `${line}${results[row]}\r\n`).join('');
		const binary = { list: { data: base64(csv) }, data: { data: base64(`\uFEFF${checked}`) } };
		const rows = await runCode(
			'check-list-form',
			'CSV to Rows',
			[{ json: { delimiter: ',' }, binary }],
			sheet.map((row) => ({ json: { row } })),
		);
		expect(rows.map(({ json }) => Object.values(json))).toEqual([
			['Title', null, null],
			['Phone', 'Note', 'Note', 'valid', 'reason'],
			// As XLSX files have it: _x0041_ would be the letter A.
			[79_000_000_001, '_x005F_x0041_', true, 'TRUE', null],
			[null, null, 0.1 + 0.2, null, 'a "b", c'],
		]);
	});

	it('says how many cells of all phone columns could not be checked or read', async () => {
		const outcome = { rows: 2, cells: 4, complete: false, not_checked: 3, failed: 0, outdated: 0 };
		const json = { ...outcome, unreadable: 1, encoding: 'UTF-8', file_name: 'list-checked.csv' };
		const binary = { data: { data: base64('list') }, report: { data: base64('report') } };
		const input = [{ json, binary }];
		const [item] = await runCode('check-list-form', 'Result Page', input, upload('list.csv'));
		expect(item?.json.page).toContain('<p>3 of 4 cells could not be checked;');
		expect(item?.json.page).toContain('<p>1 of 4 cells could not be read,');
	});

	it('can read a sheet with more rows than a call can have arguments', async () => {
		const rows = Array.from({ length: 200_000 }, () => ['1']);
		expect(await toCsv(rows)).toHaveLength(3 * rows.length);
	});
});

test.each([
	['check-list-schedule', 'Claim'],
	['check-large-list', 'Claim'],
	['check-phone-list', 'Phone Column'],
	['recipes/results-to-google-sheets', 'New or Changed'],
	['recipes/results-to-airtable', 'New or Changed'],
	['recipes/results-to-data-table', 'New or Changed'],
	// Those of other CRMs have the same code, as crmCode.test.ts and crmEvents.test.ts see.
	['recipes/bitrix24-check-contacts', 'New Numbers'],
])('%s stops in %s without a country code, before anything is paid for', async (example, node) => {
	const settings = { maxCostPerMonth: 1, freshDays: 1, maxCostPerRun: 1, maxNumbers: 1 };
	const json = { phone: '8 900 000-00-01', ...settings, defaultCountryCode: '' };
	await expect(runCode(example, node, [{ json }], json)).rejects.toThrow(
		/^defaultCountryCode in .* is empty\. Enter your country code/,
	);
});

test('check-list-schedule says how many cells of all phone columns could not be checked', async () => {
	const outcome = { rows: 2, cells: 4, complete: false, not_checked: 2, failed: 1, outdated: 0 };
	const [item] = await runCode('check-list-schedule', 'Ended', [{ json: outcome }]);
	expect(item?.json.message).toMatch(/^3 of 4 cells could not be checked\./);
});
