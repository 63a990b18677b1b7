import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';
import { boundsOf, cellAt, findRows } from './listRows';
import { PIECE, readListText } from './listText';
import { bare, digitsOf, INTERNATIONAL } from './phone';

/** What a check adds to a row, in the order of its columns. */
export const NO_RESULT = {
	valid: '',
	phone_e164: '',
	mobile: '',
	operator: '',
	country: '',
	region: '',
	reason: '',
	checked_at: '',
};
type ResultColumn = keyof typeof NO_RESULT;
/** Texts as they stand in the file: TRUE, FALSE or nothing, `+79000000001`, an ISO time. */
export type RowResult = Readonly<typeof NO_RESULT>;
export const RESULT_COLUMNS = Object.keys(NO_RESULT) as readonly ResultColumn[];
const CHECK_SOURCE = 'Check the node that reads or receives the file.';

/** As someone saved it, down to quotes, blank lines and line breaks: only the result columns are ever written. */
export class ListFile {
	readonly columns: readonly string[];
	/** Without header and blank lines. */
	readonly rowCount: number;
	readonly delimiter: string;
	private results: ReturnType<typeof placeResults>;

	private constructor(
		readonly encoding: string,
		private readonly rows: Awaited<ReturnType<typeof findRows>>,
	) {
		this.columns = this.cells(-1);
		this.rowCount = rows.starts.length - 1;
		this.delimiter = String.fromCharCode(rows.delimiter);
		this.results = placeResults(this.columns, rows.width);
	}

	static async read(bytes: Uint8Array, slice: TimeSlice): Promise<ListFile> {
		const text = await readListText(bytes, slice);
		const rows = await findRows(text.bytes, slice);
		if (rows.starts.length === 0) throw new InputError('The file is empty', CHECK_SOURCE);
		const file = new ListFile(text.encoding, rows);
		if (looksLikeData(file.columns)) {
			throw new InputError(
				'The first row of the file is not a header: it has data instead of column names',
				'Add a first row with the column names, such as: Name, Phone.',
			);
		}
		if (!file.rowCount) throw new InputError('The file has a header, but no rows', CHECK_SOURCE);
		await file.verifyResults(slice);
		return file;
	}

	cell(row: number, column: number): string {
		return cellAt(this.rows.bytes, this.bounds(row), column);
	}

	cells(row: number): string[] {
		const bounds = this.bounds(row);
		return bounds.slice(1).map((_, column) => cellAt(this.rows.bytes, bounds, column));
	}

	isResult(column: number): boolean {
		return this.results.columns.includes(column);
	}

	/** Undefined if the file does not have the columns of an earlier run. */
	earlier(row: number): RowResult | undefined {
		const { columns, newNames } = this.results;
		if (!newNames.includes(undefined)) return undefined;
		const bounds = this.bounds(row);
		const result = { ...NO_RESULT };
		RESULT_COLUMNS.forEach((name, index) => {
			result[name] = readResultCell(name, cellAt(this.rows.bytes, bounds, columns[index] ?? -1));
		});
		return result;
	}

	/** The same text with the results in their columns. UTF-8 with byte order mark, which spreadsheets need. */
	async write(resultOf: (row: number) => RowResult, slice: TimeSlice): Promise<Buffer> {
		const { delimiter, rowCount, rows, results } = this;
		const { columns, newNames } = results;
		const last = Math.max(...columns);
		const pieces: Buffer[] = [];
		let [piece, copied] = ['\uFEFF', 0];
		const replace = (start: number, end: number, text: string) => {
			piece += rows.bytes.toString('utf8', copied, start) + text;
			copied = end;
		};
		for (let row = -1; row < rowCount; row += 1) {
			const result = row === -1 ? undefined : resultOf(row);
			const texts = result
				? RESULT_COLUMNS.map((name) => writeResultCell(name, result[name], delimiter))
				: newNames;
			const bounds = this.bounds(row);
			const rowEnd = (bounds.at(-1) ?? 0) - 1;
			for (let column = 0; column <= last; column += 1) {
				const text = texts[columns.indexOf(column)];
				const next = bounds[column + 1];
				if (next === undefined) replace(rowEnd, rowEnd, `${delimiter}${text ?? ''}`);
				else if (text !== undefined) replace(bounds[column] ?? 0, next - 1, text);
			}
			// Not one by one, because joining millions of small pieces would take long.
			if (piece.length > PIECE) {
				pieces.push(Buffer.from(piece));
				piece = '';
			}
			if (slice.isOver) await slice.next();
		}
		return Buffer.concat([...pieces, Buffer.from(piece), rows.bytes.subarray(copied)]);
	}

	/** The header is row -1. */
	private bounds(row: number): number[] {
		const { bytes, starts, delimiter } = this.rows;
		return boundsOf(bytes, starts[row + 1] ?? 0, delimiter);
	}

	/** If our `valid` was deleted, one of the user's own may have its name: it does not fit the numbers that were valid. */
	private async verifyResults(slice: TimeSlice): Promise<void> {
		const { newNames } = this.results;
		if (!newNames.includes(undefined) || newNames.every((name) => name === undefined)) return;
		for (let row = 0; row < this.rowCount; row += 1) {
			if (slice.isOver) await slice.next();
			const { phone_e164 = '', valid } = this.earlier(row) ?? {};
			if (phone_e164 === '' || valid === 'TRUE') continue;
			this.results = placeResults(this.columns, this.rows.width, false);
			return;
		}
	}
}

/** As long as an e-mail address can be. */
const LONGEST_ADDRESS = 254;
/** Its parts exclude what separates them: otherwise a long cell would take hours. */
const ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

export const looksLikeData = (cells: readonly string[]) =>
	cells.every((cell) => /^[\s\d.,+-]*$/.test(cell)) || cells.some(isNumberOrAddress);

function isNumberOrAddress(cell: string): boolean {
	if (cell.length > LONGEST_ADDRESS) return false;
	const text = bare(cell);
	const digits = digitsOf(text).length;
	if (/^[\d\s\p{Dash}.()]*$/u.test(text) && digits >= 10 && digits <= 15) return true;
	return INTERNATIONAL.test(text) || /^\d[.,]\d+E\+1\d$/i.test(text) || ADDRESS.test(text);
}

/**
 * The columns of an earlier run are updated. Each is the last of its series (`valid`, `result_valid`, `result_valid_2`
 * …), and a new one comes after all of its series, so that the next run finds it. If some were deleted, only what
 * stands from `valid` over `phone_e164` to `checked_at` is surely not the user's own. If all seem to be there, one
 * before `valid` may still be the user's own: ours was `result_country` and deleted because there is a `country`.
 */
function placeResults(header: readonly string[], width: number, mayBePart = true) {
	const series = RESULT_COLUMNS.map((name) => lastOfSeries(header, name));
	const [valid = -1, number = -1, ...others] = series.map(({ column }) => column);
	const checkedAt = others.at(-1) ?? -1;
	const isWhole = series.every(({ column }) => column !== -1);
	const isInOrder = valid !== -1 && valid < number && number < checkedAt;
	const isOurs = ({ column }: { column: number }) =>
		(isWhole || (mayBePart && isInOrder && column <= checkedAt)) && !(isInOrder && column < valid);
	let end = width;
	return {
		columns: series.map((last) => (isOurs(last) ? last.column : end++)),
		newNames: series.map((last) => (isOurs(last) ? undefined : last.next)),
	};
}

function lastOfSeries(header: readonly string[], name: ResultColumn) {
	// 1 for `valid`, 2 for `result_valid`, 3 for `result_valid_2`.
	const inSeries = new RegExp(`^(?:${name}|(result_${name})(?:_([2-9]|[1-9]\\d{1,8}))?)$`);
	const numbers = header.map((column) => {
		const match = inSeries.exec(column.trim().toLowerCase());
		if (match === null) return 0;
		return match[1] === undefined ? 1 : Number(match[2] ?? 1) + 1;
	});
	const last = Math.max(0, ...numbers);
	const next = last === 0 ? name : last === 1 ? `result_${name}` : `result_${name}_${last}`;
	return { column: last === 0 ? -1 : numbers.indexOf(last), next };
}

/** What spreadsheets take for a formula, also in full width, after blanks, quotes or letters that nobody sees. */
const FORMULA_START = '[\\s"\\p{Cf}\\p{DI}\\u2800]*[=+\\-@＝＋－＠﹢﹣−]';
/** At the start of a cell, or after what separates cells for a spreadsheet in another country. Quotes do not help there. */
const FORMULAS = new RegExp(`(?<=^|[;,|])(?=${FORMULA_START})`, 'gu');
const DISARMED = new RegExp(`(?<=^|[;,|])'(?=${FORMULA_START})`, 'gu');
const SAFE = /^(?:\w[\w:.-]*)?$/;

export function writeResultCell(name: ResultColumn, value: string, delimiter: string): string {
	if (SAFE.test(value)) return value;
	const line = value.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
	const isNumber = name === 'phone_e164' && /^\+\d{1,15}$/.test(line);
	const text = isNumber ? line : line.replace(FORMULAS, "'");
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
	return text.replace(DISARMED, '');
}
