import { runInNewContext } from 'node:vm';
import { z } from 'zod';

import { read } from './project';

/** The Code nodes of the list examples, run without n8n. */

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

/** Runs a Code node with the output of another node; `input` is its direct input. */
async function runCode(
	example: string,
	nodeName: string,
	input: readonly Item[],
	other: Json = {},
): Promise<Item[]> {
	const { nodes } = workflow.parse(JSON.parse(read(`examples/${example}.json`)));
	const code = nodes.find(({ name }) => name === nodeName)?.parameters.jsCode;
	if (code === undefined) throw new Error(`${example} has no Code node “${nodeName}”`);
	const helpers = {
		prepareBinaryData: async (bytes: Buffer, fileName: string) => ({
			data: bytes.toString('base64'),
			fileName,
		}),
		getBinaryDataBuffer: async (index: number) =>
			Buffer.from(input[index]?.binary?.data?.data ?? '', 'base64'),
	};
	const items: unknown = await runInNewContext(
		`(async function () {${code}\n}).call({ helpers })`,
		{
			$: () => ({ first: () => ({ json: other }) }),
			$input: { all: () => input, first: () => input[0] },
			$execution: { id: '7' },
			Buffer,
			Date,
			helpers,
		},
	);
	return JSON.parse(JSON.stringify(items)) as Item[];
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const fileNamed = (fileName: string, text = fileName): Item => ({
	json: { fileName },
	binary: { data: { data: base64(text) } },
});
const contentOf = (item: Item | undefined, field: string) =>
	Buffer.from(item?.binary?.[field]?.data ?? '', 'base64').toString();
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe('check-large-list prepares a part', () => {
	const settings = { folder: '/files', freshDays: 85, maxCostPerRun: 10, busyMinutes: 10 };
	const results = [fileNamed('phones-results-1.csv'), fileNamed('phones-results-2.csv')];
	const prepared = async (files: readonly Item[], changes: Json = {}) => {
		const [item] = await runCode('check-large-list', 'Prepare', files, { ...settings, ...changes });
		return item;
	};
	const after = async (state: Json | string, changes?: Json) => {
		const text = typeof state === 'string' ? state : JSON.stringify(state);
		return await prepared(
			[...results, fileNamed('phones-run.json', text), fileNamed('phones.csv')],
			changes,
		);
	};

	it.each([-1, null, undefined, '', 'x'])('not with maxCostPerRun %j', async (maxCostPerRun) => {
		await expect(prepared([fileNamed('phones.csv')], { maxCostPerRun })).rejects.toThrow(
			'maxCostPerRun in Settings must be a number',
		);
	});

	it('from nothing', async () => {
		const item = await prepared([fileNamed('phones.csv')]);
		expect(item?.json).toMatchObject({
			run: '7',
			spent: 0,
			left: 10,
			resultsFile: '/files/phones-results-1.csv',
		});
		expect(item?.binary).not.toHaveProperty('earlier');
		expect(JSON.parse(contentOf(item, 'run'))).toEqual({ run: '7', at: expect.any(String) });
	});

	it.each([
		[1, 'phones-results-1.csv', '/files/phones-results-2.csv'],
		[2, 'phones-results-2.csv', '/files/phones-results-1.csv'],
	])('from results %d, and never over them', async (latest, earlier, resultsFile) => {
		const item = await after({ latest, at: minutesAgo(1) });
		expect(contentOf(item, 'earlier')).toBe(earlier);
		expect(contentOf(item, 'data')).toBe('phones.csv');
		expect(item?.json).toMatchObject({ resultsFile });
		expect(JSON.parse(contentOf(item, 'run'))).toMatchObject({ run: '7', latest });
	});

	it.each(['', '{"run":"3"'])('from any results if the state is %j', async (state) => {
		expect(contentOf(await after(state), 'earlier')).toBe('phones-results-1.csv');
	});

	it.each([
		[10, 9.9, 0.1],
		[10, 10, 0.000001],
		[10, 10.1, 0.000001],
		[0, 9.9, 0],
	])(
		'of a run that may cost %d and has cost %d, with %d left',
		async (maxCostPerRun, spent, left) => {
			const item = await prepared([fileNamed('phones.csv')], { maxCostPerRun, spent });
			expect(item?.json).toMatchObject({ left });
		},
	);
});

describe('check-large-list ends a part', () => {
	const part = { run: '3', latest: 1, next: 2, spent: 1, maxCostPerRun: 0, rest: 900 };
	const outcome = {
		rows: 1_000,
		valid: 90,
		invalid: 10,
		not_checked: 895,
		failed: 5,
		outdated: 0,
		cost: 0.05,
		complete: false,
	};
	const files = { data: { data: base64('list') }, report: { data: base64('report') } };
	const ended = async (changes: Json, partBefore: Json = {}) => {
		const json = { ...outcome, ...changes };
		const before = { ...part, ...partBefore };
		const [item] = await runCode('check-large-list', 'Outcome', [{ json, binary: files }], before);
		return {
			json: item?.json ?? {},
			files: Object.keys(item?.binary ?? {}),
			state: JSON.parse(contentOf(item, 'run')) as Json,
		};
	};

	it('with another one while there is progress, and without files that n8n would keep', async () => {
		const { json, files: kept, state } = await ended({ not_checked: 894 });
		expect(json).toMatchObject({ then: 'more', spent: 1.05, rest: 899 });
		expect(kept).toEqual(['run']);
		expect(state).toMatchObject({ run: '3', latest: 2 });
	});
});

describe('check-list-form', () => {
	const upload = (filename: string) => ({ 'Your list': { filename } });
	const toCsv = async (rows: readonly unknown[][], filename = 'list.xlsx') => {
		const items = rows.map((row) => ({ json: { row } }));
		const [item] = await runCode('check-list-form', 'Spreadsheet to CSV', items, upload(filename));
		return contentOf(item, 'Your_list');
	};

	it('makes a CSV file of a sheet without changing a number', async () => {
		const rows = [
			['Phone', 'Note', ''],
			[375291234567, 'a;"b"\n', null],
			['007', 0.1 + 0.2, true],
			['', ''],
		];
		expect(await toCsv(rows)).toBe('Phone,Note,\r\n375291234567,"a;""b""\n",\r\n007,0.3,TRUE\r\n');
	});

	it('can read a sheet with more rows than a call can have arguments', async () => {
		const rows = Array.from({ length: 200_000 }, () => ['1']);
		expect(await toCsv(rows)).toHaveLength(3 * rows.length);
	});
});
