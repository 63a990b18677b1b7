import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';
import { boundsOf, cellAt, findRows } from './listRows';
import { PIECE, readListText } from './listText';
import { asSent } from './phone';
import { type ChosenColumns, headerTest, labelsOf } from './phoneColumn';
import {
	endingFor,
	findResultSets,
	type HeaderKeys,
	headerKeys,
	keyOf,
	newResultSet,
	NO_RESULT,
	readResultCell,
	RESULT_COLUMNS,
	type ResultSet,
	type RowResult,
	writeNewName,
	writeResultCell,
} from './resultColumns';
import { bare, digitsOf, INTERNATIONAL } from './writing';

const CHECK_SOURCE = 'Check the node that reads or receives the file.';
/** Digits at the end of a number that are the same with and without a country code. */
const NATIONAL_DIGITS = 9;
/** What is read of a cell to tell titles from data. */
const LONGEST_TITLE = 1_000;
/** Compared to find the column of results that do not name it. More rows are sampled. */
const MOST_COMPARED = 5_000_000;

/** More than there are operators, regions and reasons. Bounded, because every row may have a text of its own. */
const MOST_SHARED = 10_000;
/** Spreadsheets drop it. */
const LOST_PLUS = /^\d{7,15}$/;

interface Expected {
	/** The names of columns that the header must have. */
	readonly chosen?: ChosenColumns;
	readonly mayHaveNoRows?: boolean;
}

/** As someone saved it, down to quotes, titles, blank lines and line breaks: only result columns are ever written. */
export class ListFile {
	readonly columns: readonly string[];
	readonly labels: readonly string[];
	/** Without header, titles above it, and blank lines. */
	readonly rowCount: number;
	readonly delimiter: string;
	/** Of earlier runs. */
	resultSets: readonly ResultSet[];
	private readonly keys: HeaderKeys;
	private readonly texts = new Map<string, string>();
	private lastBounds = { row: NaN, bounds: [] as readonly number[] };

	private constructor(
		readonly encoding: string,
		private readonly rows: Awaited<ReturnType<typeof findRows>>,
	) {
		this.columns = this.cells(-1);
		this.labels = labelsOf(this.columns);
		this.rowCount = rows.starts.length - 1;
		this.delimiter = String.fromCharCode(rows.delimiter);
		this.keys = headerKeys(this.columns);
		this.resultSets = findResultSets(this.keys);
	}

	static async read(
		bytes: Uint8Array,
		slice: TimeSlice,
		{ chosen = '', mayHaveNoRows = false }: Expected = {},
	): Promise<ListFile> {
		const text = await readListText(bytes, slice);
		const isPhoneName = headerTest(chosen);
		const rows = await findRows(text.bytes, slice, (cells) => {
			const starts = cells.map((cell) => cell.slice(0, LONGEST_TITLE));
			if (starts.some((cell) => cell.split(/[;\t,|]/).some(isNumberOrAddress))) return 'data';
			return cells.some(isPhoneName) ? 'header' : undefined;
		});
		if (rows.starts.length === 0) throw new InputError('The file is empty', CHECK_SOURCE);
		const file = new ListFile(text.encoding, rows);
		if (looksLikeData(file.columns)) {
			throw new InputError(
				'The first row of the file is not a header: it has data instead of column names',
				'Add a first row with the column names, such as: Name, Phone.',
			);
		}
		if (file.rowCount === 0 && !mayHaveNoRows) {
			throw new InputError('The file has a header, but no rows', CHECK_SOURCE);
		}
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
		return this.resultSets.some(({ columns }) => columns.includes(column));
	}

	resultCell(row: number, set: ResultSet, name: keyof RowResult): string {
		const column = set.columns[RESULT_COLUMNS.indexOf(name)];
		if (column === undefined) return '';
		const text = readResultCell(name, this.cell(row, column));
		if (name !== 'phone_e164' || !LOST_PLUS.test(text)) return text;
		// An invalid number was never understood, so it may have had none.
		return this.resultCell(row, set, 'valid') === 'FALSE' ? asSent(text) : `+${text}`;
	}

	/** What an earlier run has written; nothing in columns that are added only now. */
	earlier(row: number, set: ResultSet): RowResult {
		if (!this.resultSets.includes(set)) return NO_RESULT;
		const result = { ...NO_RESULT };
		for (const name of RESULT_COLUMNS) {
			const text = this.resultCell(row, set, name);
			result[name] = name === 'phone_e164' || name === 'checked_at' ? text : this.shared(text);
		}
		return result;
	}

	/** A set for each of these columns: that of an earlier run, or a new one, which is named after it beside others. */
	async resultSetsFor(columns: readonly number[], slice: TimeSlice): Promise<ResultSet[]> {
		const owners = await this.ownersOfResults(columns, slice);
		const isOnly = columns.length === 1 && this.resultSets.length === 0;
		return columns.map((column) => {
			const ending = isOnly ? '' : endingFor(this.labels[column] ?? '');
			const own = this.resultSets.find((set) => owners.get(set) === column);
			return own ?? newResultSet(this.keys, ending);
		});
	}

	/**
	 * Which column the results of earlier runs are of: the one they are named after, or else the one whose cells have
	 * most of their numbers. The `preferred` ones come first if several have, or if there are no numbers to compare.
	 */
	async ownersOfResults(preferred: readonly number[], slice: TimeSlice) {
		const owners = new Map<ResultSet, number>();
		const named = new Map(this.labels.map((label, column) => [keyOf(endingFor(label)), column]));
		for (const set of this.resultSets) {
			const column = named.get(keyOf(set.ending));
			if (column !== undefined) owners.set(set, column);
		}
		const results = new Set(this.resultSets.flatMap(({ columns }) => columns));
		const own = this.columns.map((_, column) => column).filter((column) => !results.has(column));
		for (const set of this.resultSets.filter((other) => !owners.has(other))) {
			const taken = new Set(owners.values());
			const free = own.filter((column) => !taken.has(column));
			const counts = await this.countNumbersOf(set, free, slice);
			const most = Math.max(0, ...counts);
			const best = free.filter((_, index) => counts[index] === most);
			const unnamed = set.ending === '' ? preferred.filter((column) => free.includes(column)) : [];
			const fitting = most > 0 ? best : unnamed;
			const owner = preferred.find((column) => fitting.includes(column)) ?? fitting[0];
			if (owner !== undefined) owners.set(set, owner);
		}
		return owners;
	}

	/** The same text with the results in their columns. UTF-8 with byte order mark, which spreadsheets need. */
	async write(
		sets: readonly ResultSet[],
		resultOf: (row: number, set: number) => RowResult,
		slice: TimeSlice,
	): Promise<Buffer> {
		const { delimiter, rowCount, rows } = this;
		const places = this.placesOf(sets);
		const pieces: Buffer[] = [];
		let piece = '\uFEFF';
		let copied = rows.begin;
		const replace = (start: number, end: number, text: string) => {
			piece += rows.bytes.toString('utf8', copied, start) + text;
			copied = end;
		};
		for (let row = -1; row < rowCount; row += 1) {
			const results = row === -1 ? [] : sets.map((_, set) => resultOf(row, set));
			const bounds = this.bounds(row);
			const rowEnd = (bounds.at(-1) ?? 0) - 1;
			for (let column = 0; column < places.length; column += 1) {
				const place = places[column];
				const result = place && results[place.set];
				const text = result
					? writeResultCell(place.name, result[place.name], delimiter)
					: place?.newName;
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

	/** By column, what is written there. New columns come after the widest row. */
	private placesOf(sets: readonly ResultSet[]) {
		const places: Array<{ set: number; name: keyof RowResult; newName?: string }> = [];
		let end = this.rows.width;
		for (const [set, { columns, newNames }] of sets.entries()) {
			for (const [index, name] of RESULT_COLUMNS.entries()) {
				const column = columns[index];
				if (column !== undefined) {
					places[column] = { set, name };
					continue;
				}
				places[end] = { set, name, newName: writeNewName(newNames[index] ?? name) };
				end += 1;
			}
		}
		return places;
	}

	/** For each column, how many of the numbers that were checked are in the same row. */
	private async countNumbersOf(set: ResultSet, columns: readonly number[], slice: TimeSlice) {
		const counts = columns.map(() => 0);
		const step = Math.max(1, (this.rowCount * columns.length) / MOST_COMPARED);
		for (let at = 0; at < this.rowCount; at += step) {
			if (slice.isOver) await slice.next();
			const row = Math.floor(at);
			const digits = digitsOf(this.resultCell(row, set, 'phone_e164')).slice(-NATIONAL_DIGITS);
			if (digits === '') continue;
			for (const [index, column] of columns.entries()) {
				const isInCell = digitsOf(this.cell(row, column)).endsWith(digits);
				if (isInCell) counts[index] = (counts[index] ?? 0) + 1;
			}
		}
		return counts;
	}

	/** Results stay in memory, and most of them have the same few texts. */
	private shared(text: string): string {
		const known = this.texts.get(text);
		if (known === undefined && this.texts.size < MOST_SHARED) this.texts.set(text, text);
		return known ?? text;
	}

	/** The header is row -1. Rows are read cell by cell, so the last bounds are kept. */
	private bounds(row: number): readonly number[] {
		if (this.lastBounds.row !== row) {
			const { bytes, starts, delimiter } = this.rows;
			this.lastBounds = { row, bounds: boundsOf(bytes, starts[row + 1] ?? 0, delimiter) };
		}
		return this.lastBounds.bounds;
	}

	/** If our `valid` was deleted, one of the user's own may have its name: it does not fit the numbers that were checked. */
	private async verifyResults(slice: TimeSlice): Promise<void> {
		const wrong = new Set<ResultSet>();
		for (const set of this.resultSets.filter(({ isWhole }) => !isWhole)) {
			for (let row = 0; row < this.rowCount && !wrong.has(set); row += 1) {
				if (slice.isOver) await slice.next();
				const { phone_e164, valid, reason } = this.earlier(row, set);
				const isInvalid = valid === 'FALSE' && reason !== '';
				if (phone_e164 !== '' && valid !== 'TRUE' && !isInvalid) wrong.add(set);
			}
		}
		this.resultSets = this.resultSets.filter((set) => !wrong.has(set));
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
