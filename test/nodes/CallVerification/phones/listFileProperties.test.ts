import fc from 'fast-check';

import { ListFile } from '../../../../nodes/CallVerification/phones/listFile';
import { NO_RESULT, type RowResult } from '../../../../nodes/CallVerification/phones/resultColumns';
import { BOM, utf16, windows1251 } from '../../../encodings';
import { endlessSlice } from './endlessSlice';

const RUNS = 10_000;

const ANY_HEADER = 'Name|valid|Mobile|result_valid| x |a "b"|a, b; c|a\tb|x\ny'.split('|');
const ANY_CELL = `| |+7 900|1,5|a;b|a\tb|say "hi"|"|'|\uFFFD|é😀|x\r\ny`.split('|');
const CYRILLIC = '|Иванов|Ёлка|Мінск|Київ|два; слова|в "кавычках"|12,5|две\nстроки'.split('|');
const LATIN = '|Müller|Größe|François|Señora|café; thé|a "é" b|12,5|Zoë\nNoël'.split('|');
const ENCODINGS = [
	{ name: 'UTF-8', cells: ANY_CELL, encode: (text: string) => Buffer.from(text) },
	{ name: 'UTF-8', cells: ANY_CELL, encode: (text: string) => Buffer.from(BOM + text) },
	{ name: 'UTF-16LE', cells: ANY_CELL, encode: utf16 },
	{ name: 'UTF-16BE', cells: ANY_CELL, encode: (text: string) => utf16(text).swap16() },
	{ name: 'windows-1251', cells: CYRILLIC, encode: windows1251 },
	{ name: 'windows-1252', cells: LATIN, encode: (text: string) => Buffer.from(text, 'latin1') },
];

/** A row as people and programs write it, with what comes before the next one. */
function rowOf(
	cells: string[],
	delimiter: string,
	mustBeQuoted: RegExp,
	minLength: number,
	maxLength: number,
) {
	return fc
		.record({
			cells: fc.array(fc.record({ text: fc.constantFrom(...cells), isQuoted: fc.boolean() }), {
				minLength,
				maxLength,
			}),
			lineEnd: fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n  \r\n'),
		})
		.filter((row) => row.cells.some(({ text }) => text.trim() !== ''))
		.map((row) => ({
			cells: row.cells.map(({ text }) => text),
			raw: row.cells
				.map(({ text, isQuoted }) =>
					isQuoted || mustBeQuoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
				)
				.join(delimiter),
			lineEnd: row.lineEnd,
		}));
}

const ANY_DELIMITER = /^"|[,;\t\r\n]/;

const files = fc
	.record({
		encoding: fc.constantFrom(...ENCODINGS),
		delimiter: fc.constantFrom(',', ';', '\t'),
		width: fc.integer({ min: 1, max: 4 }),
	})
	.chain(({ encoding, delimiter, width }) => {
		// In a single column, whatever may be a delimiter is taken for one.
		const mustBeQuoted = width === 1 ? ANY_DELIMITER : new RegExp(`^"|[${delimiter}\r\n]`);
		const longest = width === 1 ? 1 : width + 2;
		return fc.record({
			encoding: fc.constant(encoding),
			/** What stands above a header that has the name of a phone column. */
			titles: width === 1 ? fc.constant('') : fc.constantFrom('', '', ...TITLES),
			phoneColumns: fc.uniqueArray(fc.nat(width - 1), { minLength: 1, maxLength: 2 }),
			delimiter: fc.constant(width === 1 ? ',' : delimiter),
			sepLine: width === 1 ? fc.constant('') : fc.constantFrom('', '', `sep=${delimiter}\r\n`),
			// Nothing but CR means a Macintosh, whose code pages are not read.
			header: rowOf(ANY_HEADER, delimiter, ANY_DELIMITER, width, width).map((row) =>
				row.lineEnd === '\r' && encoding.name.startsWith('windows')
					? { ...row, lineEnd: '\n' }
					: row,
			),
			rows: fc.array(rowOf(encoding.cells, delimiter, mustBeQuoted, 1, longest), {
				minLength: 1,
				maxLength: 4,
			}),
			isLastLineOpen: fc.boolean(),
		});
	});

const TITLES = ['Clients\r\n', '\r\nClients: 2026\n \n', '"Two\r\nlines"\n\n'];

const WORDS = [
	['MegaFon', 'MegaFon'],
	['=1+1', "'=1+1"],
	['A;B, "C"', '"A;B, ""C"""'],
	['', ''],
] as const;

function resultOf(row: number, pass: number, set: number): RowResult {
	const [operator] = WORDS[(row + pass + set) % WORDS.length] ?? [''];
	const [valid, checked_at] = [pass === 1 ? 'TRUE' : 'FALSE', `2026-01-0${pass}T00:00:00.000Z`];
	const phone_e164 = pass === 1 ? `+7900000000${set}` : '';
	return { ...NO_RESULT, valid, phone_e164, operator, country: 'RU', checked_at };
}

function resultCells(row: number, pass: number, set: number): string[] {
	const { valid, phone_e164, checked_at } = resultOf(row, pass, set);
	const [, operator] = WORDS[(row + pass + set) % WORDS.length] ?? [];
	return [valid, phone_e164, '', operator ?? '', 'RU', '', '', checked_at];
}

const quoted = (name: string) => (/[;\t,"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

it(`reads and writes back ${RUNS} files unchanged but for its own columns, and adds nothing the second time`, async () => {
	await fc.assert(
		fc.asyncProperty(
			files,
			async ({ encoding, delimiter, phoneColumns, rows, isLastLineOpen, ...more }) => {
				// Without the name of a phone column, nobody can know that the lines above are titles.
				const isTitled = more.titles !== '';
				const phone = { cells: ['Phone'], raw: 'Phone', lineEnd: '\n' };
				const cells = isTitled ? ['Phone', ...more.header.cells.slice(1)] : more.header.cells;
				const raw = cells.map((cell) => (ANY_DELIMITER.test(cell) ? `"${cell}"` : cell));
				const header = isTitled ? { ...phone, cells, raw: raw.join(delimiter) } : more.header;
				const lines = [header, ...rows];
				const width = Math.max(...lines.map((line) => line.cells.length));
				/** The text of the file, with these cells at the end of each row. */
				const textWith = (added: (line: number) => readonly string[]) => {
					const text = lines.map((row, line) => {
						const own = added(line);
						const missing = own.length === 0 ? 0 : width - row.cells.length;
						const isOpen = isLastLineOpen && line === lines.length - 1;
						const all = [row.raw, ...Array<string>(missing).fill(''), ...own];
						return all.join(delimiter) + (isOpen ? '' : row.lineEnd);
					});
					return more.titles + text.join('');
				};
				const written = async (checked: ListFile, pass: number) => {
					const sets = await checked.resultSetsFor(phoneColumns, endlessSlice);
					const ofRow = (row: number, set: number) => resultOf(row, pass, set);
					return await checked.write(sets, ofRow, endlessSlice);
				};
				const cellsOf = (row: number, pass: number) =>
					phoneColumns.flatMap((_, set) => resultCells(row, pass, set));

				const original = textWith(() => []);
				const file = await ListFile.read(encoding.encode(more.sepLine + original), endlessSlice);
				const isAscii = /^[\0-\x7F]*$/.test(original);
				const isCodePage = encoding.name.startsWith('windows');
				// Compared as one text, because 10,000 comparisons of nested arrays take longer than the rest.
				expect(
					JSON.stringify([
						file.encoding,
						file.delimiter,
						file.columns,
						rows.map((_, row) => file.cells(row)),
					]),
				).toBe(
					JSON.stringify([
						isAscii && isCodePage ? 'UTF-8' : encoding.name,
						delimiter,
						header.cells,
						rows.map((row) => row.cells),
					]),
				);

				const first = await written(file, 1);
				const again = await ListFile.read(first, endlessSlice);
				const names = again.columns.slice(width);
				const taken = header.cells.map((name) => name.trim().toLowerCase());
				expect(new Set([...names, ...taken]).size).toBe(names.length + new Set(taken).size);
				const nameCells = names.map(quoted);
				const textAfter = (pass: number) =>
					BOM + textWith((line) => (line === 0 ? nameCells : cellsOf(line - 1, pass)));
				expect(first.toString()).toBe(textAfter(1));
				const sets = await again.resultSetsFor(phoneColumns, endlessSlice);
				const earlier = rows.map((_, row) => sets.map((set) => again.earlier(row, set)));
				expect(JSON.stringify(earlier)).toBe(
					JSON.stringify(rows.map((_, row) => sets.map((__, set) => resultOf(row, 1, set)))),
				);
				expect((await written(again, 2)).toString()).toBe(textAfter(2));
			},
		),
		{ numRuns: RUNS },
	);
});
