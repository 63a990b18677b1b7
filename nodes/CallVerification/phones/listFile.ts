import { InputError } from '../contract/request';
import type { Breather } from '../pacing/pool';
import { ListRows } from './listRows';
import { readListText } from './listText';
import type { ListText } from './listText';
import { looksLikeData } from './phoneColumn';
import { placeResults, readResultCell, RESULT_COLUMNS, writeResultCell } from './rowResult';
import type { ResultPlaces, RowResult } from './rowResult';

export { findPhoneColumn } from './phoneColumn';
export { RESULT_COLUMNS } from './rowResult';
export type { RowResult } from './rowResult';

/**
 * A list as someone saved it. Its text is kept as it is, down to quotes, blank lines and line breaks: only the result
 * columns are ever written.
 */
export class ListFile {
	/** Names in the header. */
	readonly columns: readonly string[];
	private readonly results: ResultPlaces;

	private constructor(
		private readonly text: ListText,
		private readonly rows: ListRows,
	) {
		this.columns = rows.cells(0);
		this.results = placeResults(this.columns, rows.width);
	}

	/** Throws an InputError if it is no CSV file that can be read safely. Lets n8n do other work in between. */
	static async read(bytes: Uint8Array, breather: Breather): Promise<ListFile> {
		const text = await readListText(bytes, breather);
		const rows = await ListRows.read(text.bytes, breather);
		if (rows.count === 0) {
			throw new InputError('The file is empty', 'Check the node that reads or receives the file.');
		}
		const file = new ListFile(text, rows);
		if (looksLikeData(file.columns)) {
			throw new InputError(
				'The first row of the file is not a header: it has data instead of column names',
				'Add a first row with the column names, such as: Name, Phone.',
			);
		}
		if (file.rowCount === 0) {
			throw new InputError(
				'The file has a header, but no rows',
				'Check the node that reads or receives the file.',
			);
		}
		return file;
	}

	get encoding(): string {
		return this.text.encoding;
	}

	get isEncodingGuessed(): boolean {
		return this.text.isEncodingGuessed;
	}

	get delimiter(): string {
		return String.fromCharCode(this.rows.delimiter);
	}

	/** Without header and blank lines. */
	get rowCount(): number {
		return this.rows.count - 1;
	}

	/** Unquoted, or empty if the row is shorter. */
	cell(row: number, column: number): string {
		return this.rows.cell(row + 1, column);
	}

	cells(row: number): readonly string[] {
		return this.rows.cells(row + 1);
	}

	/** Whether the operation writes this column. */
	isResult(column: number): boolean {
		return this.results.columns.includes(column);
	}

	/** What an earlier run wrote, if the file has its columns. */
	earlier(row: number): RowResult | undefined {
		if (this.results.added !== undefined) return undefined;
		const cells = this.cells(row);
		const texts = RESULT_COLUMNS.map((name, index) => [
			name,
			readResultCell(name, cells[this.results.columns[index] ?? -1] ?? ''),
		]);
		return Object.fromEntries(texts) as RowResult;
	}

	/** The same text with the results in their columns. UTF-8 with byte order mark, which spreadsheets need. */
	async write(resultOf: (row: number) => RowResult, breather: Breather): Promise<Buffer> {
		const { rows, results, delimiter } = this;
		const output = new Output(rows.bytes, rows.count);
		if (results.added !== undefined) this.writeRow(0, results.added, output);
		for (let row = 0; row < this.rowCount; row += 1) {
			const result = resultOf(row);
			const cells = RESULT_COLUMNS.map((name) => writeResultCell(name, result[name], delimiter));
			this.writeRow(row + 1, cells, output);
			if (breather.isDue) await breather.breathe();
		}
		return output.finish();
	}

	private writeRow(row: number, results: readonly string[], output: Output): void {
		const { rows, delimiter } = this;
		const { columns } = this.results;
		const last = Math.max(...columns);
		const rowEnd = rows.end(row);
		let start = rows.start(row);
		for (let column = 0; column <= last; column += 1) {
			const result = results[columns.indexOf(column)];
			if (start <= rowEnd) {
				const end = rows.endOfCell(start);
				if (result !== undefined) output.replace(start, end, result);
				start = end + 1;
			} else {
				output.replace(rowEnd, rowEnd, `${delimiter}${result ?? ''}`);
			}
		}
	}
}

/** A copy with changes. Grows as a whole, because thousands of small pieces would have to be joined in one go. */
class Output {
	private buffer: Buffer;
	private size = 0;
	private copied = 0;

	constructor(
		private readonly source: Buffer,
		rows: number,
	) {
		this.buffer = Buffer.allocUnsafe(source.length + 128 * rows);
		this.add('\uFEFF');
	}

	/** Call it in the order of the source. */
	replace(start: number, end: number, text: string): void {
		this.copyUntil(start);
		this.add(text);
		this.copied = end;
	}

	finish(): Buffer {
		this.copyUntil(this.source.length);
		return this.buffer.subarray(0, this.size);
	}

	private copyUntil(position: number): void {
		this.makeRoom(position - this.copied);
		this.size += this.source.copy(this.buffer, this.size, this.copied, position);
		this.copied = position;
	}

	private add(text: string): void {
		this.makeRoom(3 * text.length);
		this.size += this.buffer.write(text, this.size);
	}

	private makeRoom(bytes: number): void {
		if (this.size + bytes <= this.buffer.length) return;
		const larger = Buffer.allocUnsafe(2 * (this.size + bytes));
		this.buffer.copy(larger, 0, 0, this.size);
		this.buffer = larger;
	}
}
