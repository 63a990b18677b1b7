import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';
import { lineAt, lineError } from './listText';

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, COMMA, SEMICOLON] = [0x22, 0x2c, 0x3b];
/** As separators they mean nothing else; a comma may well be part of a name. */
const DELIMITERS = [SEMICOLON, TAB, COMMA];
const QUOTED_CELL = /(?<=^|[;\t,])"[^"]*(?:""[^"]*)*"(?!")/g;
/** Far above what spreadsheets allow, and little enough to be read in one go. */
const LONGEST_CELL = 1024 * 1024;
const MOST_CELLS = 16_384;
/** Five times as many as a sheet can have. More might fill n8n's memory with what is kept about each. */
const MOST_ROWS = 5_000_000;
const SAMPLE_ROWS = 50;
const CORRECT_IT = 'Check that it is a CSV file, and correct that line.';

/** Where each row begins, first the header, and how many cells the widest one has. Blank lines are no rows. */
export async function findRows(bytes: Buffer, slice: TimeSlice) {
	const [sepLine = '', separator] =
		/^"?sep=([\t,;|])"?(?=[\r\n])/i.exec(bytes.toString('latin1', 0, 20)) ?? [];
	const delimiter = separator?.charCodeAt(0) ?? findDelimiter(bytes, sepLine.length);
	const starts: number[] = [];
	let [width, widest] = [0, 0];
	for (let at = sepLine.length; at < bytes.length; ) {
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
	return { bytes, delimiter, starts, width };
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

/** The header decides; if it has several of them, the one for which most rows have as many cells as the header. */
function findDelimiter(bytes: Buffer, start: number): number {
	let header = start;
	while (header < bytes.length && [CR, LF, SPACE].includes(bytes[header] ?? 0)) header += 1;
	const limit = Math.min(bytes.length, header + LONGEST_CELL);
	const sampleOf = (delimiter: number) => {
		const widths: number[] = [];
		try {
			for (let at = header; at < limit && widths.length <= SAMPLE_ROWS; ) {
				const line = measureLine(bytes, at, delimiter);
				if (line.width > 0) widths.push(line.width);
				at = line.next;
			}
		} catch {
			// With the wrong delimiter, quotes open where none do.
		}
		const [top = 1, ...rows] = widths;
		const fitting = rows.filter((width) => width === top).length;
		const split = rows.filter((width) => width > 1).length;
		return { delimiter, top, fitting, split, isCommon: 2 * split > rows.length };
	};
	// Outside of quotes, which may open after any of them.
	const text = bytes.toString('latin1', header, limit).replace(QUOTED_CELL, '');
	const [names = ''] = text.split(/[\r\n]/, 1);
	const [best] = DELIMITERS.filter((delimiter) => names.includes(String.fromCharCode(delimiter)))
		.map(sampleOf)
		.sort((a, b) => b.fitting - a.fitting || b.top - a.top);
	if (best !== undefined) return best.delimiter;
	// A single column, so best a delimiter that leaves its cells whole, and a comma before all others.
	const all = [COMMA, SEMICOLON, TAB].map(sampleOf);
	const choice = all.find(({ isCommon }) => isCommon) ?? all.find(({ split }) => split === 0);
	return choice?.delimiter ?? COMMA;
}
