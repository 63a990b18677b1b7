import fc from 'fast-check';

import {
	ListFile,
	NO_RESULT,
	type RowResult,
} from '../../../../nodes/CallVerification/phones/listFile';
import { endlessSlice } from './endlessSlice';

const RUNS = 10_000;
const BOM = '\uFEFF';

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

function utf16(text: string): Buffer {
	return Buffer.from(BOM + text, 'utf16le');
}

function windows1251(text: string): Buffer {
	const special: Readonly<Record<string, number>> = { Ё: 0xa8, і: 0xb3, ї: 0xbf };
	const bytes = [...text].map((character) => {
		const code = character.charCodeAt(0);
		return special[character] ?? (code < 0x80 ? code : code - 0x0410 + 0xc0);
	});
	return Buffer.from(bytes);
}

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

const WORDS = [
	['MegaFon', 'MegaFon'],
	['=1+1', "'=1+1"],
	['A;B, "C"', '"A;B, ""C"""'],
	['', ''],
] as const;

function resultOf(row: number, pass: number): RowResult {
	const [operator] = WORDS[(row + pass) % WORDS.length] ?? [''];
	const [valid, checked_at] = [pass === 1 ? 'TRUE' : 'FALSE', `2026-01-0${pass}T00:00:00.000Z`];
	const phone_e164 = pass === 1 ? '+79000000001' : '';
	return { ...NO_RESULT, valid, phone_e164, operator, country: 'RU', checked_at };
}

function resultCells(row: number, pass: number): string[] {
	const { valid, phone_e164, checked_at } = resultOf(row, pass);
	const [, operator] = WORDS[(row + pass) % WORDS.length] ?? [];
	return [valid, phone_e164, '', operator ?? '', 'RU', '', '', checked_at];
}

it(`reads and writes back ${RUNS} files unchanged but for its own columns, and adds nothing the second time`, async () => {
	await fc.assert(
		fc.asyncProperty(
			files,
			async ({ encoding, delimiter, sepLine, header, rows, isLastLineOpen }) => {
				const lines = [header, ...rows];
				const width = Math.max(...lines.map(({ cells }) => cells.length));
				/** The text of the file, with these cells at the end of each row. */
				const textWith = (added: (line: number) => readonly string[]) => {
					const text = lines.map(({ cells, raw, lineEnd }, line) => {
						const own = added(line);
						const padding = own.length === 0 ? [] : Array<string>(width - cells.length).fill('');
						const isOpen = isLastLineOpen && line === lines.length - 1;
						return [raw, ...padding, ...own].join(delimiter) + (isOpen ? '' : lineEnd);
					});
					return sepLine + text.join('');
				};

				const original = textWith(() => []);
				const file = await ListFile.read(encoding.encode(original), endlessSlice);
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
						rows.map(({ cells }) => cells),
					]),
				);

				const first = await file.write((row) => resultOf(row, 1), endlessSlice);
				const again = await ListFile.read(first, endlessSlice);
				const names = again.columns.slice(width);
				const taken = header.cells.map((name) => name.trim().toLowerCase());
				expect(new Set([...names, ...taken]).size).toBe(names.length + new Set(taken).size);
				const firstText = textWith((line) => (line === 0 ? names : resultCells(line - 1, 1)));
				expect(first.toString()).toBe(BOM + firstText);
				const earlier = rows.map((_, row) => again.earlier(row));
				expect(JSON.stringify(earlier)).toBe(
					JSON.stringify(rows.map((_, row) => resultOf(row, 1))),
				);

				const second = await again.write((row) => resultOf(row, 2), endlessSlice);
				const secondText = textWith((line) => (line === 0 ? names : resultCells(line - 1, 2)));
				expect(second.toString()).toBe(BOM + secondText);
			},
		),
		{ numRuns: RUNS },
	);
});
