import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';
import { lineAt } from './listText';

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
/** As separators they mean nothing else; a comma may well be part of a name. */
const DELIMITERS = [';', '\t', ','].map((delimiter) => delimiter.charCodeAt(0));
/** Far above what spreadsheets allow, and little enough to be read in one go. */
const LONGEST_CELL = 1024 * 1024;
const MOST_CELLS = 16_384;
/** Five times as many as a sheet can have. What is kept about each of more rows might fill n8n's memory. */
const MOST_ROWS = 5_000_000;
const SAMPLE_ROWS = 50;

/** Where the rows of a text begin and end, without their line breaks; the first is the header. Blank lines are none. */
export class ListRows {
	private readonly starts: number[] = [];
	private readonly ends: number[] = [];
	/** The number of cells in the widest row. */
	width = 0;

	private constructor(
		readonly bytes: Buffer,
		/** One byte. */
		readonly delimiter: number,
	) {}

	static async read(bytes: Buffer, slice: TimeSlice): Promise<ListRows> {
		const [sepLine = '', separator] =
			/^"?sep=([\t,;|])"?(?=[\r\n])/i.exec(bytes.toString('latin1', 0, 20)) ?? [];
		const start = sepLine.length;
		const rows = new ListRows(bytes, separator?.charCodeAt(0) ?? findDelimiter(bytes, start));
		await rows.find(start, slice);
		return rows;
	}

	/** With the header. */
	get count(): number {
		return this.starts.length;
	}

	start(row: number): number {
		return this.starts[row] ?? 0;
	}

	end(row: number): number {
		return this.ends[row] ?? 0;
	}

	endOfCell(start: number): number {
		return endOfCell(this.bytes, start, this.delimiter);
	}

	/** Unquoted, or empty if the row is shorter. */
	cell(row: number, column: number): string {
		const rowEnd = this.end(row);
		let start = this.start(row);
		for (let index = 0; start <= rowEnd; index += 1) {
			const end = this.endOfCell(start);
			if (index === column) return this.unquoted(start, end);
			start = end + 1;
		}
		return '';
	}

	cells(row: number): string[] {
		const cells: string[] = [];
		for (let start = this.start(row); start <= this.end(row); ) {
			const end = this.endOfCell(start);
			cells.push(this.unquoted(start, end));
			start = end + 1;
		}
		return cells;
	}

	private unquoted(start: number, end: number): string {
		const { bytes } = this;
		if (bytes[start] !== QUOTE) return bytes.toString('utf8', start, end);
		const closing = closingQuote(bytes, start, end);
		const inside = bytes.toString('utf8', start + 1, closing).replaceAll('""', '"');
		return inside + bytes.toString('utf8', closing + 1, end);
	}

	private async find(start: number, slice: TimeSlice): Promise<void> {
		const { bytes } = this;
		let widest = 0;
		for (let at = start; at < bytes.length; ) {
			const { end, cells } = measureRow(bytes, at, this.delimiter);
			if (cells > 1 || !isBlank(bytes, at, end)) {
				this.starts.push(at);
				this.ends.push(end);
				if (this.count > MOST_ROWS + 1) {
					throw new InputError(
						'The file has more than 5 million rows',
						'Split it into smaller files.',
					);
				}
				if (cells > this.width) {
					this.width = cells;
					widest = at;
				}
			}
			at = end + 1;
			if (slice.isOver) await slice.next();
		}
		// Every row is filled up to the widest one, so a single stray row could make the file a thousand times as long.
		if (this.width * this.count > 10 * bytes.length + 1_000_000) {
			throw new InputError(
				`Line ${lineAt(bytes, widest)} of the file has ${this.width} cells, far more than the others`,
				'Correct that line.',
			);
		}
	}
}

function measureRow(bytes: Buffer, start: number, delimiter: number) {
	let cells = 1;
	let end = endOfCell(bytes, start, delimiter);
	while (bytes[end] === delimiter) {
		cells += 1;
		end = endOfCell(bytes, end + 1, delimiter);
	}
	if (cells <= MOST_CELLS) return { end, cells };
	throw new InputError(
		`Line ${lineAt(bytes, start)} of the file has more than ${MOST_CELLS} cells`,
		'Check that it is a CSV file, and correct that line.',
	);
}

/** At a delimiter, a line break or the end of the text. */
function endOfCell(bytes: Buffer, start: number, delimiter: number): number {
	const limit = Math.min(bytes.length, start + LONGEST_CELL);
	let at = start;
	if (bytes[start] === QUOTE) {
		const closing = closingQuote(bytes, start, limit);
		let after = closing + 1;
		while (bytes[after] === SPACE) after += 1;
		const isEnd = [undefined, delimiter, CR, LF].includes(bytes[after]);
		// A quote that was forgotten is closed by the next one that opens, and the rows in between would be lost.
		if (closing === -1 || (!isEnd && hasLineBreak(bytes, start, closing))) {
			throw new InputError(
				`The quotation mark that opens a cell in line ${lineAt(bytes, start)} of the file is never closed`,
				'Close it in that line, or double it if it belongs to the text: """text"" and more".',
			);
		}
		at = closing + 1;
	}
	while (at < limit) {
		const byte = bytes[at];
		if (byte === delimiter || byte === LF || byte === CR) return at;
		at += 1;
	}
	if (at >= bytes.length) return bytes.length;
	throw new InputError(
		`Line ${lineAt(bytes, start)} of the file has a cell of more than a million characters`,
		'Check that it is a CSV file, and correct that line.',
	);
}

/** -1 if there is none. */
function closingQuote(bytes: Buffer, start: number, limit: number): number {
	for (let at = start + 1; at < limit; at += 1) {
		if (bytes[at] !== QUOTE) continue;
		if (bytes[at + 1] !== QUOTE) return at;
		at += 1;
	}
	return -1;
}

/** Only for a cell that looks wrong: a view of every quoted cell would take longer than reading it. */
function hasLineBreak(bytes: Buffer, start: number, end: number): boolean {
	const cell = bytes.subarray(start, end);
	return cell.includes(LF) || cell.includes(CR);
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
	for (let at = start; at < end; at += 1) if (bytes[at] !== SPACE) return false;
	return true;
}

/** The header decides; if it has several of them, the one for which most rows have as many cells as the header. */
function findDelimiter(bytes: Buffer, start: number): number {
	let header = start;
	while (header < bytes.length && [CR, LF, SPACE].includes(bytes[header] ?? 0)) header += 1;
	const inHeader = delimitersInHeader(bytes, header);
	if (inHeader.length === 1) return inHeader[0] ?? 0;

	const samples = DELIMITERS.map((delimiter) => {
		const [top = 1, ...rows] = sampleWidths(bytes, header, delimiter);
		const fitting = rows.filter((width) => width === top).length;
		const split = rows.filter((width) => width > 1).length;
		return { delimiter, top, fitting, split, isCommon: 2 * split > rows.length };
	});
	const [best] = samples
		.filter(({ delimiter }) => inHeader.includes(delimiter))
		.sort((a, b) => b.fitting - a.fitting || b.top - a.top);
	if (best !== undefined) return best.delimiter;
	// A single column, so best a delimiter that leaves its cells whole, and a comma before all others.
	const [semicolon, tab, comma] = samples;
	const inOrder = [comma, semicolon, tab];
	const choice =
		inOrder.find((sample) => sample?.isCommon) ?? inOrder.find((sample) => sample?.split === 0);
	return (choice ?? comma)?.delimiter ?? 0;
}

/** Outside of quotes, which may open after any of them. */
function delimitersInHeader(bytes: Buffer, start: number): number[] {
	const found = new Set<number>();
	let isCellStart = true;
	const limit = Math.min(bytes.length, start + LONGEST_CELL);
	for (let at = start; at < limit; at += 1) {
		const byte = bytes[at] ?? 0;
		if (byte === CR || byte === LF) break;
		if (byte === QUOTE && isCellStart) {
			at = Math.max(at, closingQuote(bytes, at, limit));
		}
		isCellStart = DELIMITERS.includes(byte);
		if (isCellStart) found.add(byte);
	}
	return [...found];
}

function sampleWidths(bytes: Buffer, start: number, delimiter: number): number[] {
	const widths: number[] = [];
	try {
		const limit = Math.min(bytes.length, start + LONGEST_CELL);
		for (let at = start; at < limit && widths.length <= SAMPLE_ROWS; ) {
			const { end, cells } = measureRow(bytes, at, delimiter);
			if (cells > 1 || !isBlank(bytes, at, end)) widths.push(cells);
			at = end + 1;
		}
	} catch {
		// With the wrong delimiter, quotes open where none do.
	}
	return widths;
}
