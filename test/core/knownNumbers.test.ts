import fc from 'fast-check';

import { type InputFiles, fileIn } from '../../harness/engine/n8nCore';
import { VirtualClock } from '../virtualClock';
import { COLUMNS, DAY, found, list, phoneAt, resultFor, run, SOON } from './fileRun';
import { replying } from './simulatedRun';

const HEADER = `phone,${COLUMNS},price`;
const knownNumbers = 'known';
const earlierResults = 'known';
const NUMBER_9 = '+79160000009';

/** A run that also returns the known numbers. */
const runKnown = async (...[files, options = {}, more]: Parameters<typeof run>) => {
	const result = await run(files, { knownNumbers, ...options }, more);
	const known = fileIn(result.success[0], knownNumbers).toString();
	const [header, ...lines] = known.slice(1).trimEnd().split('\n');
	return { ...result, known, header, lines };
};

describe('known numbers', () => {
	it('are a second file, with a row for every number that has a result', async () => {
		const text = `Phone\n7 916 000-00-10\n${phoneAt(1)}\n${NUMBER_9}\nn/a\n\n${phoneAt(2)}\n`;
		const { known, header, lines, binary } = await runKnown(
			text,
			{},
			{ request: { concurrency: 1 } },
		);
		expect(known.startsWith('\uFEFF')).toBe(true);
		expect(header).toBe(HEADER);
		const [, second, third] = lines.map((line) => line.split(',').at(-2) ?? '');
		expect(lines).toEqual([
			`79160000010,${resultFor(phoneAt(1), SOON)},0.5`,
			`${NUMBER_9},FALSE,${NUMBER_9},,,,,Too short,${second},0.5`,
			`${phoneAt(2)},${resultFor(phoneAt(2), third ?? '')},0.5`,
		]);
		expect(binary.known).toMatchObject({ fileName: 'known-numbers.csv', mimeType: 'text/csv' });
		expect(Object.keys((await run(text)).binary)).toEqual(['data']);
	});

	it('cost nothing in another list, with other columns and in other writings', async () => {
		const { known } = await runKnown(`Phone\n${phoneAt(1)}\n${NUMBER_9}\n`);
		const data = `Имя;Телефон;Моб.\nАня;7 (916) 000-00-10;${NUMBER_9}\n`;
		const result = await runKnown([{ data, known }], { earlierResults });
		expect(result.sent).toEqual([]);
		expect(result.json).toMatchObject({ valid: 1, invalid: 1, reused: 2, cost: 0 });
		expect(result.known).toBe(known);
	});

	it('cost nothing if only the service knows their country code', async () => {
		const russian = replying((request) =>
			found(request, { phone: Number(`7${request.phone.replace(/\D/g, '').slice(-10)}`) }),
		);
		const data = 'Phone\n8 916 000-00-10\n916 000-00-20\n';
		const first = await runKnown(data, {}, { service: russian });
		expect(first.lines.map((line) => line.split(',').slice(0, 3).join())).toEqual([
			'89160000010,TRUE,+79160000010',
			'9160000020,TRUE,+79160000020',
		]);
		const fields = { phoneColumn: 'Phone' };
		const again = { service: russian, fields };
		for (const text of [data, 'Phone\n+7 916 000-00-10\n79160000020\n']) {
			const files = [{ data: text, known: first.known }];
			expect((await runKnown(files, { earlierResults }, again)).sent).toEqual([]);
		}
	});

	it.each(['49 151 00000009', '2345678909', '8 916 000-00-09', '916 000-00-09'])(
		'have invalid ones, too, of which nobody knows the country: %s',
		async (cell) => {
			const digits = cell.replace(/\D/g, '');
			const first = await runKnown(`Phone\n${cell}\n`);
			const known = `${digits},FALSE,${digits},,,,,Too short,${SOON},0.5`;
			expect(first.lines).toEqual([known]);
			const again = async (data: string) =>
				await runKnown([{ data, known: first.known }], { earlierResults });
			const written = await again(`Name,Phone\nAnn,${digits}\n`);
			expect([written.sent, written.lines]).toEqual([[], [known]]);
			const changed = await again(`Phone\n${cell.replace(/9$/, '8')}\n`);
			expect(changed.sent).toHaveLength(1);
			expect(changed.lines).toHaveLength(2);
		},
	);

	it('collect the numbers of all lists', async () => {
		const first = await runKnown(list(3));
		const shorter = await runKnown([{ data: list(2, 2), known: first.known }], { earlierResults });
		expect(shorter.phones).toEqual([phoneAt(3)]);
		expect(shorter.lines.slice(0, 3)).toEqual(first.lines);
		const third = await runKnown([{ data: list(4), known: shorter.known }], { earlierResults });
		expect(third.sent).toEqual([]);
		expect(third.known).toBe(shorter.known);
	});

	it('take in the results of an earlier output, beside others', async () => {
		const { known } = await runKnown(list(1));
		const last = (await run(`Телефон;price\n${phoneAt(1)};99\n`)).text;
		const files = [{ data: list(3), last, known }];
		const result = await runKnown(files, { earlierResults: 'last, known' });
		expect(result.phones).toEqual([phoneAt(2)]);
		// The price in the list is the user's own.
		expect(result.lines.map((line) => [line.split(',')[0], line.split(',').at(-1)]).sort()).toEqual(
			[
				[phoneAt(0), '0.5'],
				[phoneAt(1), ''],
				[phoneAt(2), '0.5'],
			],
		);
	});

	it('keep their prices, whatever order the files with the same results have', async () => {
		const parts = { maxChecks: 2 };
		const first = await runKnown(list(4), parts);
		const files = [{ data: list(4), last: first.text, known: first.known }];
		for (const fields of ['last, known', 'known, last']) {
			const second = await runKnown(files, { ...parts, earlierResults: fields });
			const prices = second.lines.map((line) => line.split(',').at(-1));
			expect({ fields, prices }).toEqual({ fields, prices: ['0.5', '0.5', '0.5', '0.5'] });
		}
	});

	it('keep what was found for a column that is not checked this time', async () => {
		const text = `Phone,Mobile\n${phoneAt(1)},${phoneAt(2)}\n`;
		const first = await run(text, {}, { fields: { phoneColumn: 'Phone' } });
		const { lines } = await runKnown(first.text, {}, { fields: { phoneColumn: 'Mobile' } });
		expect(lines.map((line) => line.split(',')[0]).sort()).toEqual([phoneAt(1), phoneAt(2)]);
	});

	it('are checked again when they are too old, and then have the new result', async () => {
		const { known } = await runKnown(list(2));
		const files = [{ data: list(1), known }];
		const young = { clock: new VirtualClock(89 * DAY) };
		expect((await runKnown(files, { earlierResults }, young)).sent).toEqual([]);
		const old = { clock: new VirtualClock(91 * DAY) };
		const late = await runKnown(files, { earlierResults }, old);
		expect(late.phones).toEqual([phoneAt(0)]);
		expect(late.lines).toHaveLength(2);
		expect(late.lines[0]).toMatch(/,2030-04-02T/);
		expect(late.lines[1]).toMatch(/,2030-01-01T/);
		const never = await runKnown(files, { earlierResults, reuseFor: 0 });
		expect(never.sent).toHaveLength(1);
	});

	it('are as good as those of the list if nothing new is known', async () => {
		const empty = await runKnown('Phone\nn/a\n', {}, { fields: { phoneColumn: 'Phone' } });
		expect(empty.lines).toEqual([]);
		const files = [{ data: list(1), known: empty.known }];
		expect((await runKnown(files, { earlierResults })).lines).toHaveLength(1);
	});

	it.each<[string, InputFiles, RegExp]>([
		['is missing', { data: list(1) }, /no file in “known”, so every number would be paid for/],
		['is empty', { data: list(1), known: '' }, /The file is empty/],
		['is no file of Check File', { data: list(1), known: list(1) }, /“known” has no results/],
	])('are not used if the file %s', async (_what, files, expected) => {
		const { error, sent } = await run([files], { earlierResults });
		expect([sent, error?.message]).toEqual([[], expect.stringMatching(expected)]);
	});

	it.each([{ outputBinaryPropertyName: 'known' }, { report: true, knownNumbers: 'report' }])(
		'have a field of their own: %j',
		async (options) => {
			const { error, sent } = await run(list(1), { knownNumbers, ...options });
			expect(error?.message).toMatch(
				/“Put Known Numbers in Field” is “\w+”, where another file goes/,
			);
			expect(sent).toEqual([]);
		},
	);

	it('are paid for once, whatever lists come one after the other', async () => {
		const cell = fc
			.nat(8)
			.map((index) => [phoneAt(index), `7 ${phoneAt(index).slice(2)}`, ''][index % 3] ?? '');
		const lists = fc.array(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), {
			minLength: 2,
			maxLength: 5,
		});
		await fc.assert(
			fc.asyncProperty(lists, fc.nat(4), async (all, maxChecks) => {
				const paid: string[] = [];
				let known = `${HEADER}\n`;
				for (const [month, rows] of all.entries()) {
					const data = `Phone,Mobile\n${rows.map((row) => `${row.join(',')}\n`).join('')}`;
					const result = await runKnown(
						[{ data, known }],
						{ earlierResults, maxChecks },
						{ clock: new VirtualClock(month * DAY), fields: { phoneColumn: 'Phone,Mobile' } },
					);
					paid.push(...result.phones.map((phone) => phone.replace(/\D/g, '')));
					const numbers = result.lines.map((line) => line.split(',')[2]);
					expect(new Set(numbers).size).toBe(numbers.length);
					expect(numbers).toHaveLength(new Set(paid).size);
					known = result.known;
				}
				expect(new Set(paid).size).toBe(paid.length);
			}),
			{ numRuns: 60 },
		);
	});
});
