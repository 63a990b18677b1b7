import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';
import { lineAt, lineError } from './listText';

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, COMMA, SEMICOLON, PIPE] = [0x22, 0x2c, 0x3b, 0x7c];
/** As separators they mean nothing else; a comma may well be part of a name. */
const DELIMITERS = [SEMICOLON, TAB, COMMA, PIPE];
const QUOTED_CELL = /(?<=^|[;\t,|])"[^"]*(?:""[^"]*)*"(?!")/g;
/** Far above what spreadsheets allow, and little enough to be read in one go. */
const LONGEST_CELL = 1024 * 1024;
const MOST_CELLS = 16_384;
/** Five times as many as a sheet can have. More might fill n8n's memory with what is kept about each. */
const MOST_ROWS = 5_000_000;
const SAMPLE_ROWS = 50;
const MOST_TITLES = 30;
const MOST_CELLS_OF_TITLES = 10_000;
const CORRECT_IT = 'Check that it is a CSV file, and correct that line.';

/** Of the filled cells of a line, though maybe not of all of them if the delimiter is another one. */
export type KindOfLine = (filled: readonly string[]) => 'header' | 'data' | undefined;

/**
 * Where each row begins, first the header, and how many cells the widest one has. Blank lines are no rows. What stands
 * before `begin` is not part of the text: a spreadsheet that finds `sep=` after a byte order mark shows wrong letters.
 */
export async function findRows(bytes: Buffer, slice: TimeSlice, kindOf: KindOfLine) {
	const [sepLine = '', separator] =
		/^"?sep=([\t,;|])"?(?:\r\n?|\n)/i.exec(bytes.toString('latin1', 0, 20)) ?? [];
	const begin = sepLine.length;
	const given = separator?.charCodeAt(0);
	const header = findHeader(bytes, begin, given === undefined ? DELIMITERS : [given], kindOf);
	const delimiter = given ?? findDelimiter(bytes, header);
	const starts: number[] = [];
	let [width, widest] = [0, 0];
	for (let at = header; at < bytes.length; ) {
		const line = measureLine(bytes, at, delimiter);
		if (line.width > 0) starts.push(at);
		if (line.width > width) [width, widest] = [line.width, at];
		at = line.next;
		if (starts.length > MOST_ROWS + 1) {
			throw new InputError('The file has more than 5 million rows', 'Split it into smaller files.');
		}
		if (slice.isOver) await slice.next();
	}
	// Every row is filled up to the widest one, so a single stray row could make the file a thousand times as long.
	if (width * starts.length > 10 * bytes.length + 1_000_000) {
		const problem = `${width} cells, far more than the others`;
		throw lineError(bytes, widest, problem, 'Correct that line.');
	}
	return { bytes, begin, delimiter, starts, width };
}

/** Where each cell of a row begins, and, right after the row, where the next one may. */
export function boundsOf(bytes: Buffer, start: number, delimiter: number): number[] {
	const bounds = [start];
	let at = start;
	do {
		at = endOfCell(bytes, at, delimiter) + 1;
		bounds.push(at);
		if (bounds.length > MOST_CELLS + 1) {
			throw lineError(bytes, start, `more than ${MOST_CELLS} cells`, CORRECT_IT);
		}
	} while (bytes[at - 1] === delimiter);
	return bounds;
}

/** Unquoted, or empty if the row is shorter. */
export function cellAt(bytes: Buffer, bounds: readonly number[], column: number): string {
	const [start, next] = [bounds[column], bounds[column + 1]];
	if (start === undefined || next === undefined) return '';
	const end = next - 1;
	if (bytes[start] !== QUOTE) return bytes.toString('utf8', start, end);
	const closing = closingQuote(bytes, start, end);
	const inside = bytes.toString('utf8', start + 1, closing).replaceAll('""', '"');
	return inside + bytes.toString('utf8', closing + 1, end);
}

function measureLine(bytes: Buffer, start: number, delimiter: number) {
	const bounds = boundsOf(bytes, start, delimiter);
	const width = bounds.length - 1;
	const next = bounds[width] ?? 0;
	const isBlank = width === 1 && /^ *$/.test(bytes.toString('latin1', start, next - 1));
	return { next, width: isBlank ? 0 : width };
}

function endOfCell(bytes: Buffer, start: number, delimiter: number): number {
	const limit = Math.min(bytes.length, start + LONGEST_CELL);
	let at = start;
	if (bytes[start] === QUOTE) {
		const closing = closingQuote(bytes, start, limit);
		let after = closing + 1;
		while (bytes[after] === SPACE) after += 1;
		const isEnd = [undefined, delimiter, CR, LF].includes(bytes[after]);
		// A quote that was forgotten is closed by the next one that opens, and the rows in between would be lost.
		if (closing === -1 || (!isEnd && /[\r\n]/.test(bytes.toString('latin1', start, closing)))) {
			throw new InputError(
				`The quotation mark that opens a cell in line ${lineAt(bytes, start)} of the file is never closed`,
				'Close it in that line, or double it if it belongs to the text: """text"" and more".',
			);
		}
		at = closing + 1;
	}
	for (; at < limit; at += 1) {
		const byte = bytes[at];
		if (byte === delimiter || byte === LF || byte === CR) return at;
	}
	if (at >= bytes.length) return bytes.length;
	throw lineError(bytes, start, 'a cell of more than a million characters', CORRECT_IT);
}

function closingQuote(bytes: Buffer, start: number, limit: number): number {
	for (let at = start + 1; at < limit; at += 1) {
		if (bytes[at] !== QUOTE) continue;
		if (bytes[at + 1] !== QUOTE) return at;
		at += 1;
	}
	return -1;
}

/** Below the titles that 1C and CRMs put above their tables. Where the text begins, unless there surely are titles. */
function findHeader(
	bytes: Buffer,
	begin: number,
	delimiters: readonly number[],
	kindOf: KindOfLine,
): number {
	const candidates = delimiters.flatMap((delimiter) => {
		const header = headerBelowTitles(bytes, begin, delimiter, kindOf);
		return header === undefined ? [] : { header, ...sampleOf(bytes, header, delimiter) };
	});
	// With the wrong delimiter, every line is a single cell.
	const scoreOf = ({ top, fitting }: { top: number; fitting: number }) => (top > 1 ? fitting : -1);
	candidates.sort((a, b) => scoreOf(b) - scoreOf(a) || a.header - b.header);
	const [best] = candidates;
	if (best === undefined) return begin;
	// With another delimiter, the first line may well be the header, and the name a word in one of its rows.
	const others = delimiters.filter((delimiter) => delimiter !== best.delimiter);
	const rivals = others.map((delimiter) => sampleOf(bytes, begin, delimiter));
	const isDoubtful = rivals.some((rival) => scoreOf(rival) > best.fitting);
	return isDoubtful ? begin : best.header;
}

/** The line with the name of a phone column that has more filled cells than all lines above, none of which is data. */
function headerBelowTitles(bytes: Buffer, begin: number, delimiter: number, kindOf: KindOfLine) {
	let header: number | undefined;
	let [mostFilled, seen] = [0, 0];
	try {
		for (let at = begin, line = 0; at < bytes.length && line <= MOST_TITLES; line += 1) {
			if (seen > MOST_CELLS_OF_TITLES) break;
			const bounds = boundsOf(bytes, at, delimiter);
			const cells = bounds.slice(1).map((_, column) => cellAt(bytes, bounds, column));
			seen += cells.length;
			const filled = cells.filter((cell) => cell.trim() !== '');
			const kind = kindOf(filled);
			if (kind === 'data') break;
			// A list of a single column may have a title, too.
			const isAsNarrow = header === undefined && filled.length === 1 && mostFilled === 1;
			if (kind === 'header' && (filled.length > mostFilled || isAsNarrow)) header = at;
			mostFilled = Math.max(mostFilled, filled.length);
			at = bounds.at(-1) ?? bytes.length;
		}
	} catch {
		// With the wrong delimiter, quotes open where none do.
	}
	return header;
}

/** The header decides; if it has several of them, the one for which most rows have as many cells as the header. */
function findDelimiter(bytes: Buffer, start: number): number {
	let header = start;
	while (header < bytes.length && [CR, LF, SPACE].includes(bytes[header] ?? 0)) header += 1;
	const names = headerOutsideOfQuotes(bytes.toString('latin1', header, header + LONGEST_CELL));
	const [best] = DELIMITERS.filter((delimiter) => names.includes(String.fromCharCode(delimiter)))
		.map((delimiter) => sampleOf(bytes, header, delimiter))
		.sort((a, b) => b.fitting - a.fitting || b.top - a.top);
	if (best !== undefined) return best.delimiter;
	// A single column, so best a delimiter that leaves its cells whole, and a comma before all others.
	const all = [COMMA, SEMICOLON, TAB].map((delimiter) => sampleOf(bytes, header, delimiter));
	const choice = all.find(({ isCommon }) => isCommon) ?? all.find(({ split }) => split === 0);
	return choice?.delimiter ?? COMMA;
}

/** Quotes may open after any delimiter, and a name in them may have several lines. */
function headerOutsideOfQuotes(text: string): string {
	const firstLineOf = (lines: string) => lines.split(/[\r\n]/, 1)[0] ?? '';
	const firstLine = firstLineOf(text);
	// Most headers have no quotes, and the whole text takes as long as reading all rows.
	return firstLine.includes('"') ? firstLineOf(text.replace(QUOTED_CELL, '')) : firstLine;
}

/** How many cells the header has, and how many rows below it are like it. */
function sampleOf(bytes: Buffer, header: number, delimiter: number) {
	const [top = 1, ...rows] = widthsOf(bytes, header, delimiter);
	const fitting = rows.filter((width) => width === top).length;
	const split = rows.filter((width) => width > 1).length;
	return { delimiter, top, fitting, split, isCommon: 2 * split > rows.length };
}

/** How many cells the first lines have. */
function widthsOf(bytes: Buffer, begin: number, delimiter: number): number[] {
	const limit = Math.min(bytes.length, begin + LONGEST_CELL);
	const widths: number[] = [];
	try {
		for (let at = begin; at < limit && widths.length <= SAMPLE_ROWS; ) {
			const line = measureLine(bytes, at, delimiter);
			if (line.width > 0) widths.push(line.width);
			at = line.next;
		}
	} catch {
		// With the wrong delimiter, quotes open where none do.
	}
	return widths;
}
