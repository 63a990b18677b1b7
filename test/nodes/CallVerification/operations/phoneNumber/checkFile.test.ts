import { checkFile } from '../../../../../nodes/CallVerification/operations/phoneNumber/checkFile';
import { VirtualClock } from '../../../../virtualClock';
import { fakeItem, run } from '../fakeItem';

const [A, B, C, D] = ['+79160000001', '+79160000002', '+79160000003', '+79160000004'] as const;
const COLUMNS = 'valid,phone_e164,mobile,operator,country,region,reason,checked_at';
const DAY = 24 * 60 * 60 * 1_000;

type Files = NonNullable<NonNullable<Parameters<typeof fakeItem>[1]>['files']>;

interface Given {
	readonly options?: object;
	readonly fields?: Readonly<Record<string, unknown>>;
	readonly files?: Files;
	readonly name?: string;
	/** What a check costs. */
	readonly cost?: number | null;
	/** Numbers whose check fails. */
	readonly failing?: readonly string[];
}

async function check(text: string, given: Given = {}) {
	const { options = {}, fields = {}, files = {}, name, cost = 0.5, failing = [] } = given;
	const clock = new VirtualClock();
	const answer = ({ phone }: Readonly<Record<string, unknown>>) => {
		if (failing.includes(String(phone))) throw new Error('Down');
		const digits = String(phone).replace(/\D/g, '');
		return { source: phone, phone: Number(digits.replace(/^8/, '7')), mobile: true, cost };
	};
	const own = { data: { text, ...(name !== undefined && { name }) } };
	const fake = fakeItem(answer, { clock, files: { ...own, ...files } });
	const output = await clock.runUntil(run(checkFile, fake.item, fields, { ...options }));
	const textOf = (field: string) => fake.added.get(field)?.text ?? '';
	return {
		...fake,
		output,
		phones: fake.sent.map(({ phone }) => phone),
		messages: fake.hints.map(([message]) => message),
		checked: textOf('data'),
		/** The numbers in the file of known numbers. */
		known: textOf('known')
			.trimEnd()
			.split('\n')
			.slice(1)
			.map((line) => line.split(',')[0]),
	};
}

const list = (...phones: string[]) => `Phone\n${phones.map((phone) => `${phone}\n`).join('')}`;
const isoTime = (daysAgo: number) =>
	new Date(new VirtualClock().wallTime() - daysAgo * DAY).toISOString();
/** An output file, with results of so many days ago. */
const results = (rows: ReadonlyArray<readonly [phone: string, daysAgo?: number]>) =>
	`Phone,${COLUMNS}\n${rows
		.map(([phone, days]) =>
			days === undefined
				? `${phone},,,,,,,,\n`
				: `${phone},TRUE,${phone},TRUE,MTS,Russia,Moscow,,${isoTime(days)}\n`,
		)
		.join('')}`;

describe('the output file', () => {
	it.each([
		['phones.csv', 'phones-checked.csv'],
		['phones.TSV', 'phones-checked.TSV'],
		['phones.tab', 'phones-checked.tab'],
		['phones-checked.txt', 'phones-checked.txt'],
		['my-checked-list.csv', 'my-checked-list-checked.csv'],
		['v1.2.csv', 'v1.2-checked.csv'],
		['phones.txt.bak', 'phones.txt-checked.csv'],
		['phones.csvx', 'phones-checked.csv'],
		['phones.xcsv', 'phones-checked.csv'],
		['phones.html', 'phones-checked.csv'],
		['csv', 'csv-checked.csv'],
		['.csv', 'phones-checked.csv'],
		['', 'phones-checked.csv'],
		[undefined, 'phones-checked.csv'],
		['../x.y/phones', 'phones-checked.csv'],
		['a\r\nb\u2028\u2029c.csv', 'a b c-checked.csv'],
	])('of %j is called %s', async (name, expected) => {
		const { output, added } = await check(list(A), name === undefined ? {} : { name });
		expect(output.file_name).toBe(expected);
		expect(added.get('data')).toMatchObject({ name: expected, mimeType: 'text/csv' });
	});

	it('has the results of a column below titles, whatever its name', async () => {
		const fields = { phoneColumn: 'Rufnummer' };
		const { checked, output } = await check(`Kunden\n\nName,Rufnummer\nAnn,${A}\n`, { fields });
		expect(checked).toContain(`Kunden\n\nName,Rufnummer,${COLUMNS}\nAnn,${A},TRUE,${A}`);
		expect(output).toMatchObject({ rows: 1, phone_column: 'Rufnummer' });
	});
});

describe('what comes with it', () => {
	const filesOf = async (options: object, name?: string) => {
		const { added } = await check(list(A), { options, ...(name !== undefined && { name }) });
		return [...added].map(([field, file]) => [field, file.name, file.mimeType]);
	};
	const checked = ['data', 'phones-checked.csv', 'text/csv'];

	it('is nothing unless it is wanted', async () => {
		expect(await filesOf({})).toEqual([checked]);
	});

	it('is a file with the known numbers', async () => {
		expect(await filesOf({ knownNumbers: 'known' })).toEqual([
			checked,
			['known', 'known-numbers.csv', 'text/csv'],
		]);
	});

	it('is a report, called after the list', async () => {
		expect(await filesOf({ report: true }, 'May-checked.2-checked.csv')).toEqual([
			['data', 'May-checked.2-checked.csv', 'text/csv'],
			['report', 'May-checked.2-report.html', 'text/html'],
		]);
	});

	it('has a field of its own: “report” for the report', async () => {
		const both = { report: true, knownNumbers: 'report' };
		await expect(check(list(A), { options: both })).rejects.toThrow('where another file goes');
		const output = { report: true, outputBinaryPropertyName: 'report' };
		await expect(check(list(A), { options: output })).rejects.toThrow('where the HTML report goes');
	});

	it('says how many numbers of each column are valid', async () => {
		const text = `Phone,Work phone\n${A},${B}\n${C},\n`;
		const { added } = await check(text, { options: { report: true } });
		const page = added.get('report')?.text.split('Valid cells by column')[1] ?? '';
		const counts = [...page.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) =>
			row
				.replace(/<[^>]*>/g, ' ')
				.trim()
				.split(/\s{2,}/),
		);
		expect(counts).toEqual(
			expect.arrayContaining([
				expect.arrayContaining(['Phone', '2']),
				expect.arrayContaining(['Work phone', '1']),
			]),
		);
	});

	it.each([
		[{}, '89160000001'],
		[{ defaultCountryCode: '7' }, A],
	])('knows a number once when the output is checked again with %j', async (more, number) => {
		const options = { knownNumbers: 'known', ...more };
		const first = await check(list('8 916 000-00-01'), { options });
		expect(first.known).toEqual([number]);
		const again = await check(first.checked, { options });
		expect([again.phones, again.known]).toEqual([[], [number]]);
	});
});

describe('earlier results', () => {
	const earlier = { text: results([[A, 1]]) };
	const other = { text: results([[B, 1]]) };

	it.each<[string, Files]>([
		['earlier', { earlier }],
		['earlier,', { earlier }],
		[' , earlier ,, other', { earlier, other }],
		[
			'earlier, other',
			{
				'earlier, other': {
					text: results([
						[A, 1],
						[B, 1],
					]),
				},
			},
		],
	])('can be in the field “%s”', async (earlierResults, files) => {
		const { phones, output } = await check(list(A, B), { options: { earlierResults }, files });
		const isBoth = Object.keys(files).join().includes('other');
		expect(phones).toEqual(isBoth ? [] : [B]);
		expect(output.reused).toBe(isBoth ? 2 : 1);
	});

	it.each([' ', ',', ' , '])('must be somewhere: not in the field “%s”', async (earlierResults) => {
		const { item, sent } = fakeItem(() => ({}), { files: { data: { text: list(A) } } });
		const missing = run(checkFile, item, {}, { earlierResults });
		await expect(missing).rejects.toThrow(`has no file in “${earlierResults}”`);
		expect(sent).toEqual([]);
	});
});

describe('a hint', () => {
	it('about numbers that begin with 8 is shown unless a country is chosen', async () => {
		const text = list('8 916 000-00-01');
		expect((await check(text)).messages).toEqual([expect.stringContaining('set it to 7')]);
		expect((await check(text, { options: { defaultCountryCode: '49' } })).messages).toEqual([]);
		expect((await check(list(A))).messages).toEqual([]);
	});

	it('is no warning if it only says which columns were found', async () => {
		const { hints } = await check(`Phone,Work phone\n${A},${B}\n`);
		expect(hints).toEqual([[expect.stringContaining('2 phone columns were found'), 'info']]);
	});

	it('says what a file lacks, and only that', async () => {
		const outdated = await check(
			results([
				[A, 100],
				[C, 1],
			]),
			{ failing: [A] },
		);
		expect(outdated.messages.map((message) => message.split('. ')[0])).toEqual([
			'phones-checked.csv is not complete: 1 row has an old result that could not be renewed',
		]);
		const both = await check(results([[A, 100], [B], [C, 1]]), { failing: [A, B] });
		expect(both.messages.map((message) => message.split('. ')[0])).toEqual([
			'phones-checked.csv is not complete: 1 row has no result, and “reason” says why; 1 row has an old result that could not be renewed',
		]);
	});
});

describe('a file is complete', () => {
	it('if every number has a result', async () => {
		expect((await check(list(A, B))).output).toMatchObject({ valid: 2, complete: true });
	});

	it('but not if one has failed and another was not checked', async () => {
		const { output } = await check(list(B, A, C), { failing: [B], options: { maxChecks: 1 } });
		expect(output).toMatchObject({ failed: 1, not_checked: 1, outdated: 0, complete: false });
	});

	it('nor if one has failed and another keeps an old result', async () => {
		const { output } = await check(results([[A, 100], [B], [C, 1]]), { failing: [A, B] });
		expect(output).toMatchObject({ failed: 1, not_checked: 0, outdated: 1, complete: false });
	});
});

describe('when the service fails', () => {
	it('after results that cost nothing, the file comes out', async () => {
		const { output, checked } = await check(list(A, B, C, D), { cost: 0, failing: [C, D] });
		expect(output).toMatchObject({ valid: 2, failed: 2, paid: 0 });
		expect(checked).toContain(`${A},TRUE,${A}`);
	});

	it('and nothing is known, that is an error', async () => {
		await expect(check(list(A), { failing: [A] })).rejects.toThrow('Down');
	});
});
