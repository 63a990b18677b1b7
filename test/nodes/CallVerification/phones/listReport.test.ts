import { type ListSummary, reportPage } from '../../../../nodes/CallVerification/phones/listReport';
import type { RowResult } from '../../../../nodes/CallVerification/phones/resultColumns';
import { endlessSlice } from './endlessSlice';

const ROW: RowResult = {
	valid: 'TRUE',
	phone_e164: '+79000000001',
	mobile: 'TRUE',
	operator: 'Alpha',
	country: 'Russia',
	region: '',
	reason: '',
	checked_at: '2026-11-17T10:00:00.000Z',
};
const INVALID = { valid: 'FALSE', reason: 'too short' };
const UNREADABLE = { valid: '', reason: 'unreadable: two numbers', checked_at: '' };
const OPEN = { valid: '', reason: 'no money', checked_at: '' };
const HOSTILE = `</style></title>"'\`><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`;

type Row = Partial<RowResult>;

function times(count: number, row: Row): Row[] {
	return Array.from({ length: count }, () => row);
}

async function report(
	rows: readonly Row[],
	more: Partial<ListSummary> = {},
	columns = [{ name: 'phone', valid: 0 }],
): Promise<string> {
	const having = (result: string) => rows.filter(({ valid = 'TRUE' }) => valid === result).length;
	const unreadable = rows.filter((row) => row === UNREADABLE).length;
	const open = having('') - unreadable;
	const numbers = rows.map((row) => ({ result: { ...ROW, ...row }, cells: 1 }));
	const summary = {
		rows: rows.length,
		cells: rows.length,
		valid_rows: having('TRUE'),
		valid: having('TRUE'),
		invalid: having('FALSE'),
		unreadable,
		duplicates: 0,
		reused: 0,
		not_checked: open,
		failed: 0,
		outdated: 0,
		paid: 0,
		cost: 0,
		complete: open === 0,
		phone_column: 'phone',
		delimiter: ',',
		encoding: 'UTF-8',
		file_name: 'list.csv',
		...more,
	};
	return await reportPage(numbers, columns, summary, endlessSlice);
}

/** The lines under a heading: names and counts, as a reader sees them. */
function linesOf(page: string, heading: string): Array<[string, number]> {
	const section = new RegExp(`<h2>${heading}</h2>(.*?)</section>`, 's').exec(page)?.[1] ?? '';
	const lines = section.matchAll(/<th[^>]*>(.*?)<\/th><td>([\d,]+) /gs);
	return [...lines].map(([, name, count]) => [textOf(name), Number(count?.replace(/,/g, ''))]);
}

function textOf(html = ''): string {
	return html
		.replace(/<[^>]*>/g, '')
		.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

const HEADINGS = [
	'Rows',
	'Mobile numbers among the valid',
	'Valid rows by operator',
	'Valid rows by country',
	'Why rows are invalid',
	'Why rows are unreadable',
	'Why rows have no result',
];

describe('the report of a list', () => {
	const mixed = [
		...times(1_500, {}),
		...times(20, { operator: 'Beta', country: 'Kazakhstan', mobile: 'FALSE' }),
		...times(3, { operator: '', country: '', mobile: '' }),
		...times(40, INVALID),
		...times(2, { valid: 'FALSE', reason: '' }),
		...times(9, UNREADABLE),
		...times(12, OPEN),
	];

	test('has bars as long as the shares beside them', async () => {
		const page = await report([...times(3, {}), ...times(1, { operator: 'Beta' })]);
		const bars = page.matchAll(/style="width:([\d.]+)%".*?<small>(\d+)%/g);
		const operators = [...bars].slice(0, 2).map(([, width, share]) => [Number(width), share]);
		expect(operators).toEqual([
			[75, '75'],
			[25, '25'],
		]);
	});

	test('says in every section how many rows there are of each kind', async () => {
		const page = await report(mixed, { not_checked: 7, failed: 5 });

		const lines = HEADINGS.map((heading) => linesOf(page, heading).map((line) => line.join(' ')));
		expect(lines.map((section) => section.join(', '))).toEqual([
			'Valid 1523, Invalid 42, Unreadable 9, Failed 5, Not checked 7, Total 1586',
			'Mobile 1500, Not mobile 20, Unknown 3, Total 1523',
			'Alpha 1500, Beta 20, Unknown 3, Total 1523',
			'Russia 1500, Kazakhstan 20, Unknown 3, Total 1523',
			'too short 40, No reason given 2, Total 42',
			'unreadable: two numbers 9, Total 9',
			'no money 12, Total 12',
		]);
	});

	test('counts the cells of several phone columns, and the rows that have a valid number', async () => {
		const page = await report(
			[...times(5, {}), ...times(2, INVALID), UNREADABLE],
			{ rows: 4, valid_rows: 3, phone_column: 'Phone, Mobile' },
			[
				{ name: 'Phone', valid: 3 },
				{ name: '<i>Mobile', valid: 2 },
			],
		);
		expect(textOf(page)).toContain('3 of 4 rows have a valid number');
		expect(textOf(page)).toContain('list.csv, columns Phone, Mobile');
		const lines = [
			'Phone cells',
			'Valid cells by column',
			'Valid cells by operator',
			'Why cells are unreadable',
		].map((heading) => linesOf(page, heading).join(' '));
		expect(lines).toEqual([
			'Valid,5 Invalid,2 Unreadable,1 Total,8',
			'Phone,3 <i>Mobile,2 Total,5',
			'Alpha,5 Total,5',
			'unreadable: two numbers,1 Total,1',
		]);
		expect(await report([{}])).not.toContain('by column');
	});

	test('says whether rows are open, and that some only have an old result', async () => {
		expect(textOf(await report([{}, INVALID]))).toContain('Every row has a result.');
		expect(textOf(await report([{}, UNREADABLE]))).toContain(
			'Every row that could be read has a result.',
		);
		expect(textOf(await report([{}, OPEN, OPEN]))).toContain('Without a result: 2.');
		const old = textOf(await report(times(3, {}), { outdated: 2, complete: false }));
		expect(old).toContain('With an old result that could not be renewed: 2. To continue');
		expect(old).not.toContain('Without a result');
		const both = textOf(await report([OPEN, {}, {}], { outdated: 1 }));
		expect(both).toContain(
			'Without a result: 1. With an old result that could not be renewed: 1. To continue',
		);
	});

	test('says what it cost, what was free, which file it is about and when it was checked', async () => {
		const page = await report(
			[{}, { checked_at: '2026-09-01T00:00:00.000Z' }, { checked_at: '01.02.2026 3:00' }],
			{
				cost: 1_234.5,
				duplicates: 17,
				reused: 4_001,
				file_name: 'clients-checked.csv',
				phone_column: 'Телефон',
			},
		);

		expect(textOf(page)).toContain(
			'clients-checked.csv, column Телефон, checked 2026-09-01 to 2026-11-17',
		);
		expect(textOf(page)).toContain('Not paid for: duplicates 17, reused results 4,001');
		expect(page).toContain('>1,234.50<');
	});

	test('shows the ten most frequent names, and adds up all others', async () => {
		const rows = Array.from({ length: 30 }, (_, index) =>
			times(index + 1, { operator: `Operator ${index + 1}`, country: `Country ${index % 11}` }),
		).flat();
		const page = await report(rows);

		const operators = linesOf(page, 'Valid rows by operator');
		expect(operators.slice(0, 2)).toEqual([
			['Operator 30', 30],
			['Operator 29', 29],
		]);
		expect(operators.slice(9)).toEqual([
			['Operator 21', 21],
			['Other', 210],
			['Total', 465],
		]);
		expect(linesOf(page, 'Valid rows by country')).toHaveLength(12);
	});

	test('adds up even if every row has its own operator and reason', async () => {
		const rows = Array.from({ length: 20_000 }, (_, index) =>
			index % 2 === 0 ? { operator: `Operator ${index}` } : { ...OPEN, reason: `Reason ${index}` },
		);
		const page = await report([...rows, ...times(50, { operator: 'Operator 0' })]);

		for (const heading of HEADINGS) {
			const counts = linesOf(page, heading).map(([, count]) => count);
			const total = counts.pop() ?? 0;
			expect([heading, counts.reduce((sum, count) => sum + count, 0)]).toEqual([heading, total]);
		}
		expect(linesOf(page, 'Valid rows by operator')[0]).toEqual(['Operator 0', 51]);
	});

	test('remembers at most 5,000 names', async () => {
		const names = Array.from({ length: 6_000 }, (_, index) => ({ operator: `${index}` }));
		const page = await report([...names, ...times(9, { operator: '5999' })]);

		expect(page).not.toContain('5999');
	});

	test('no text from the service or the file can become HTML', async () => {
		const harmless = await report([{}, INVALID, OPEN]);
		const page = await report(
			[
				{ operator: HOSTILE, country: HOSTILE, checked_at: `2026-11-17${HOSTILE}` },
				{ ...INVALID, reason: HOSTILE },
				{ ...OPEN, reason: HOSTILE, checked_at: HOSTILE },
			],
			{ file_name: HOSTILE, phone_column: HOSTILE, encoding: HOSTILE, delimiter: HOSTILE },
		);

		const tagsOf = (html: string) => html.match(/<[^>]*>/g);
		expect(tagsOf(page)).toEqual(tagsOf(harmless));
		expect(linesOf(page, 'Valid rows by operator')[0]).toEqual([HOSTILE, 1]);
		expect(linesOf(page, 'Why rows have no result')[0]).toEqual([HOSTILE, 1]);
	});

	test('loads nothing, and forbids the browser to run or load anything', async () => {
		const page = await report(mixed);

		expect(page).toContain(
			`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
		);
		expect(page).not.toMatch(/<script|src=|href=|url\(|@import|https?:/i);
	});

	test('shortens long texts without cutting a character in half', async () => {
		const page = await report([{ operator: `${'x'.repeat(119)}😀${'y'.repeat(1_000)}` }]);

		expect(linesOf(page, 'Valid rows by operator')[0]).toEqual([`${'x'.repeat(119)}…`, 1]);
	});

	test('has an answer for a list without rows', async () => {
		const page = await report([]);

		expect(textOf(page)).toContain('0 of 0 rows have a valid number');
		expect(page).not.toMatch(/NaN|Infinity|undefined|checked /);
	});

	test.each([
		{ part: 0, all: 5, shown: '0%' },
		{ part: 1, all: 1_000, shown: '&lt;1%' },
		{ part: 999, all: 1_000, shown: '&gt;99%' },
		{ part: 1_000, all: 1_000, shown: '100%' },
	])('$part of $all is $shown', async ({ part, all, shown }) => {
		const page = await report([...times(part, {}), ...times(all - part, INVALID)]);

		expect(/Valid<b class="good">[\d,]+<\/b><small>(.*?)</.exec(page)?.[1]).toBe(shown);
	});
});
