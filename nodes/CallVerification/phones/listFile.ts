import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';
import { ListRows } from './listRows';
import { type ListText, readListText } from './listText';
import { looksLikeData } from './phoneColumn';

/** What a check adds to a row, in the order of its columns. */
export const RESULT_COLUMNS = [
	'valid',
	'phone_e164',
	'mobile',
	'operator',
	'country',
	'region',
	'reason',
	'checked_at',
] as const;

type ResultColumn = (typeof RESULT_COLUMNS)[number];

/** Texts as they stand in the file: TRUE, FALSE or nothing, `+79000000001`, an ISO time. */
export type RowResult = Readonly<Record<ResultColumn, string>>;

export const NO_RESULT = Object.fromEntries(RESULT_COLUMNS.map((name) => [name, ''])) as RowResult;

const CHECK_SOURCE = 'Check the node that reads or receives the file.';

/**
 * A list as someone saved it. Its text is kept as it is, down to quotes, blank lines and line breaks: only the result
 * columns are ever written.
 */
export class ListFile {
	/** Names in the header. */
	readonly columns: readonly string[];
	/** Without header and blank lines. */
	readonly rowCount: number;
	readonly delimiter: string;
	private results: ResultPlaces;

	private constructor(
		readonly text: Pick<ListText, 'encoding' | 'isEncodingGuessed'>,
		private readonly rows: ListRows,
	) {
		this.columns = rows.cells(0);
		this.rowCount = rows.count - 1;
		this.delimiter = String.fromCharCode(rows.delimiter);
		this.results = placeResults(this.columns, rows.width);
	}

	/** Throws an InputError if it is no CSV file that can be read safely. Lets n8n do other work in between. */
	static async read(bytes: Uint8Array, slice: TimeSlice): Promise<ListFile> {
		const text = await readListText(bytes, slice);
		const rows = await ListRows.read(text.bytes, slice);
		if (rows.count === 0) throw new InputError('The file is empty', CHECK_SOURCE);
		const file = new ListFile(text, rows);
		if (looksLikeData(file.columns)) {
			throw new InputError(
				'The first row of the file is not a header: it has data instead of column names',
				'Add a first row with the column names, such as: Name, Phone.',
			);
		}
		if (file.rowCount === 0) {
			throw new InputError('The file has a header, but no rows', CHECK_SOURCE);
		}
		await file.verifyResults(slice);
		return file;
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
		const { columns, newNames } = this.results;
		if (!newNames.includes(undefined)) return undefined;
		const cells = this.cells(row);
		const texts = RESULT_COLUMNS.map((name, index) => [
			name,
			readResultCell(name, cells[columns[index] ?? -1] ?? ''),
		]);
		return Object.fromEntries(texts) as RowResult;
	}

	/** The same text with the results in their columns. UTF-8 with byte order mark, which spreadsheets need. */
	async write(resultOf: (row: number) => RowResult, slice: TimeSlice): Promise<Buffer> {
		const { rows, delimiter } = this;
		const output = new Output(rows.bytes, rows.count);
		this.writeRow(0, this.results.newNames, output);
		for (let row = 0; row < this.rowCount; row += 1) {
			const result = resultOf(row);
			const cells = RESULT_COLUMNS.map((name) => writeResultCell(name, result[name], delimiter));
			this.writeRow(row + 1, cells, output);
			if (slice.isOver) await slice.next();
		}
		return output.finish();
	}

	private writeRow(row: number, texts: ReadonlyArray<string | undefined>, output: Output): void {
		const { rows, delimiter } = this;
		const { columns } = this.results;
		const last = Math.max(...columns);
		const rowEnd = rows.end(row);
		let start = rows.start(row);
		for (let column = 0; column <= last; column += 1) {
			const text = texts[columns.indexOf(column)];
			if (start <= rowEnd) {
				const end = rows.endOfCell(start);
				if (text !== undefined) output.replace(start, end, text);
				start = end + 1;
			} else {
				output.replace(rowEnd, rowEnd, `${delimiter}${text ?? ''}`);
			}
		}
	}

	/** If our `valid` was deleted, one of the user's own may have its name: it does not fit the numbers that were valid. */
	private async verifyResults(slice: TimeSlice): Promise<void> {
		if (this.results.newNames.every((name) => name === undefined)) return;
		for (let row = 0; row < this.rowCount; row += 1) {
			if (slice.isOver) await slice.next();
			const result = this.earlier(row);
			if (result === undefined) return;
			if (result.phone_e164 === '' || result.valid === 'TRUE') continue;
			this.results = placeResults(this.columns, this.rows.width, false);
			return;
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

interface ResultPlaces {
	/** Where each of RESULT_COLUMNS stands. */
	readonly columns: readonly number[];
	/** Names of those that the file does not have yet. */
	readonly newNames: ReadonlyArray<string | undefined>;
}

/**
 * The columns of an earlier run are updated. Each is the last of its series (`valid`, `result_valid`, `result_valid_2`
 * …), and a new one comes after all of its series, so that the next run finds it. If some were deleted, only what
 * stands from `valid` over `phone_e164` to `checked_at` is surely not the user's own. If all seem to be there, one
 * before `valid` may still be the user's own: ours was `result_country` and deleted because there is a `country`.
 */
function placeResults(header: readonly string[], width: number, mayBePart = true): ResultPlaces {
	const series = RESULT_COLUMNS.map((name) => lastOfSeries(header, name));
	const [valid = -1, number = -1, ...others] = series.map(({ column }) => column);
	const checkedAt = others.at(-1) ?? -1;
	const isWhole = series.every(({ column }) => column !== -1);
	const isInOrder = valid !== -1 && valid < number && number < checkedAt;
	let end = width;
	const places = series.map(({ column, next }) => {
		const isBefore = isInOrder && column < valid;
		const isPart = mayBePart && isInOrder && column <= checkedAt;
		const isOurs = !isBefore && (isWhole || isPart);
		return isOurs ? { column, newName: undefined } : { column: end++, newName: next };
	});
	return {
		columns: places.map(({ column }) => column),
		newNames: places.map(({ newName }) => newName),
	};
}

function lastOfSeries(header: readonly string[], name: ResultColumn) {
	const numbers = header.map((column) => numberInSeries(column, name));
	const last = Math.max(0, ...numbers);
	const next = last === 0 ? name : last === 1 ? `result_${name}` : `result_${name}_${last}`;
	return { column: last === 0 ? -1 : numbers.indexOf(last), next };
}

/** 1 for `valid`, 2 for `result_valid`, 3 for `result_valid_2`, 0 for anything else. */
function numberInSeries(column: string, name: ResultColumn): number {
	const text = column.trim().toLowerCase();
	if (text === name) return 1;
	if (!text.startsWith(`result_${name}`)) return 0;
	const suffix = text.slice(`result_${name}`.length);
	if (suffix === '') return 2;
	return /^_(?:[2-9]|[1-9]\d{1,8})$/.test(suffix) ? Number(suffix.slice(1)) + 1 : 0;
}

const CONTROL_OR_LONE_SURROGATE = /[\p{Cc}\p{Cs}]+/gu;
/** What spreadsheets take for a formula, also in full width, after blanks or after invisible marks. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@＝＋－＠﹢﹣−]/u;
/** Most cells, which need no second look. */
const SAFE = /^(?:\w[\w:.-]*)?$/;
const E164 = /^\+\d{1,15}$/;

/** A cell of a result column, as text of the file. */
export function writeResultCell(name: ResultColumn, value: string, delimiter: string): string {
	if (SAFE.test(value)) return value;
	const line = value.replace(CONTROL_OR_LONE_SURROGATE, ' ').trim();
	const isNumber = name === 'phone_e164' && E164.test(line);
	const text = !isNumber && FORMULA.test(line) ? `'${line}` : line;
	return text.includes(delimiter) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

// Spreadsheets save what they show, in the language of their user.
const YES = /^(?:true|истина|істина|wahr|vrai|verdadero|verdadeiro|vero|prawda)$/i;
const NO = /^(?:false|ложь|хибність|falsch|faux|falso|fałsz)$/i;

/** The result as it was written, though a spreadsheet may have saved the file since. */
export function readResultCell(name: ResultColumn, cell: string): string {
	const text = cell.trim();
	if (name === 'phone_e164') return text.replace(/^'?\+?(?=\d{7,15}$)/, '+');
	if (name === 'valid' || name === 'mobile') {
		return YES.test(text) ? 'TRUE' : NO.test(text) ? 'FALSE' : text;
	}
	return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}
