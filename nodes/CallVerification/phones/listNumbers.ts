import type { TimeSlice } from '../pacing/time';
import { rightLength } from './countryCode';
import type { ListFile } from './listFile';
import { beginsWith8, readPhoneToCheck, sameNumberKey } from './phone';
import { NO_RESULT, type ResultSet, type RowResult } from './resultColumns';
import { digitsOf } from './writing';

const DAY = 24 * 60 * 60 * 1_000;
/** Other dates are a spreadsheet's: nobody knows which of 05.11. and 11.05. is the day. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** Digits of a number without its country code. With fewer, other numbers would end like that. */
const FEWEST_NATIONAL_DIGITS = 9;
const isValid = ({ valid }: RowResult) => valid === 'TRUE';

type Source = 'cell' | 'before' | 'service' | 'outdated' | 'failed' | 'not_checked';
/** How many cells of a list have such a result, or one from there. */
export type CellCounts = Readonly<Record<'valid' | 'invalid' | Source, number>>;

export class ListNumber {
	/** How many cells have it. */
	cells = 0;
	/** With what its check has cost in this run, if the service says so. */
	result: (RowResult & { readonly cost?: number | undefined }) | undefined;
	outdated: RowResult | undefined;
	/** What one of its cells says. */
	invalid: RowResult | undefined;
	/** The best result of other cells and other files. */
	known: RowResult | undefined;
	/** Where its result comes from, or why it has no new one. Nothing is sent for `cell` and `before`. */
	from: Source | undefined;

	constructor(
		readonly key: string,
		readonly text: string,
	) {}
}

/** For how long results of before are as good as new ones. */
export interface Reuse {
	/** In milliseconds since the Unix epoch. */
	readonly now: number;
	readonly days: number;
	readonly countryCode?: string;
}

/** A file with results, and the columns that these are of, as far as they are known. */
export interface CheckedFile {
	readonly file: ListFile;
	readonly owners: ReadonlyMap<ResultSet, number>;
}

/** A column with numbers, and where their results go. */
export interface PhoneColumn {
	readonly column: number;
	readonly results: ResultSet;
}

/** The different numbers of a list, in the order of its rows, with what is known before anything is sent. */
export class ListNumbers {
	private readonly byKey = new Map<string, ListNumber>();
	/** By column and row. Undefined for a cell that keeps its own result. */
	private readonly ofCells: Array<Array<ListNumber | undefined>>;

	private constructor(
		private readonly file: ListFile,
		private readonly columns: readonly PhoneColumn[],
		private readonly reuse: Reuse,
	) {
		this.ofCells = columns.map(() => []);
	}

	static async read(
		file: ListFile,
		columns: readonly PhoneColumn[],
		reuse: Reuse,
		slice: TimeSlice,
	): Promise<ListNumbers> {
		const numbers = new ListNumbers(file, columns, reuse);
		for (let row = 0; row < file.rowCount; row++) {
			if (slice.isOver) await slice.next();
			columns.forEach((column, index) => numbers.ofCells[index]?.push(numbers.add(row, column)));
		}
		return numbers;
	}

	get all(): ListNumber[] {
		return [...this.byKey.values()];
	}

	/** Results of other cells of the list, for example of a column that is not checked this time. */
	async addKnownOfList(slice: TimeSlice): Promise<void> {
		await this.addKnown({ file: this.file, owners: new Map() }, slice);
	}

	/** Results of a file that was checked before, for numbers that have none. The newest of a number counts. */
	async addKnown({ file, owners }: CheckedFile, slice: TimeSlice): Promise<void> {
		for (const set of file.resultSets) {
			for (let row = 0; row < file.rowCount; row++) {
				if (slice.isOver) await slice.next();
				this.addKnownOf(file, row, set, owners.get(set));
			}
		}
	}

	/** What must be sent. If not all of it can be, numbers with an old result can wait. */
	async findUnknown(slice: TimeSlice): Promise<ListNumber[]> {
		const unknown: ListNumber[] = [];
		const outdated: ListNumber[] = [];
		for (const number of this.byKey.values()) {
			if (slice.isOver) await slice.next();
			if (number.from !== undefined) continue;
			const result = number.invalid ?? number.known;
			if (result !== undefined && isAsGoodAsNew(result, this.reuse)) {
				number.result = result;
				number.from = 'before';
			} else {
				number.outdated ??= result;
				if (number.outdated === undefined) unknown.push(number);
				else outdated.push(number);
			}
			number.known = undefined;
		}
		return unknown.concat(outdated);
	}

	/** Of those that must be sent. */
	async anyBeginsWith8(slice: TimeSlice): Promise<boolean> {
		for (const { from, text } of this.byKey.values()) {
			if (slice.isOver) await slice.next();
			if (from === undefined && beginsWith8(text)) return true;
		}
		return false;
	}

	/** Cells that keep their own result count with their number. */
	async countCells(slice: TimeSlice): Promise<CellCounts> {
		const counts = {
			valid: 0,
			invalid: 0,
			cell: 0,
			before: 0,
			service: 0,
			outdated: 0,
			failed: 0,
			not_checked: 0,
		};
		for (const { cells, result, from } of this.byKey.values()) {
			if (slice.isOver) await slice.next();
			if (result?.valid === 'TRUE') counts.valid += cells;
			if (result?.valid === 'FALSE') counts.invalid += cells;
			if (from !== undefined) counts[from] += cells;
		}
		return counts;
	}

	resultOf(row: number, index: number): RowResult {
		const number = this.ofCells[index]?.[row];
		if (number !== undefined) return number.result ?? NO_RESULT;
		const set = this.columns[index]?.results;
		return set === undefined ? NO_RESULT : this.file.earlier(row, set);
	}

	/** How many cells of each column have a valid number, and how many rows have one in any column. */
	async countValid(slice: TimeSlice) {
		const ofColumns = this.columns.map(() => 0);
		let rows = 0;
		for (let row = 0; row < this.file.rowCount; row++) {
			if (slice.isOver) await slice.next();
			let isRowValid = false;
			for (const [index, numbers] of this.ofCells.entries()) {
				const number = numbers[row];
				// Only valid results are kept.
				if (number !== undefined && !(number.result && isValid(number.result))) continue;
				ofColumns[index] = (ofColumns[index] ?? 0) + 1;
				isRowValid = true;
			}
			if (isRowValid) rows += 1;
		}
		return { ofColumns, rows };
	}

	/** The number of a cell, unless that keeps its own result. */
	private add(row: number, { column, results }: PhoneColumn): ListNumber | undefined {
		const { file, reuse, byKey } = this;
		const { text, problem } = readPhoneToCheck(file.cell(row, column), reuse.countryCode);
		const key = text === undefined ? `\0${problem}` : keyInList(text);
		const number = byKey.get(key) ?? new ListNumber(key, text ?? '');
		byKey.set(key, number);
		number.cells += 1;
		if (text === undefined) {
			number.result ??= { ...NO_RESULT, reason: problem };
			number.from = 'cell';
			return number;
		}
		const own = file.earlier(row, results);
		const isKept = addResult(number, belongsTo(text, own) ? own : undefined, reuse);
		return isKept ? undefined : number;
	}

	private addKnownOf(
		file: ListFile,
		row: number,
		set: ResultSet,
		column: number | undefined,
	): void {
		const checked = file.resultCell(row, set, 'phone_e164');
		if (checked === '') return;
		const cell = column === undefined ? checked : file.cell(row, column);
		// Without a plus, how the cell is read decides the country of its number.
		const isSame = cell === checked && checked.startsWith('+');
		const text = isSame ? undefined : readPhoneToCheck(cell, this.reuse.countryCode).text;
		const byNumber = this.openNumber(checked);
		const byCell = text === undefined ? undefined : this.openNumber(text);
		const checkedAt = { checked_at: file.resultCell(row, set, 'checked_at') };
		const mayHelp = [byNumber, byCell].some(
			(number) => number && !this.hasNewer(number, checkedAt),
		);
		if (!mayHelp) return;
		const result = file.earlier(row, set);
		if (result.valid !== 'TRUE' && result.valid !== 'FALSE') return;
		if (byNumber !== undefined) this.offer(byNumber, result);
		if (byCell !== undefined && byCell !== byNumber && belongsTo(byCell.text, result)) {
			this.offer(byCell, result);
		}
	}

	/** Then the whole result need not be read. In a run in parts, the same ones are in several files. */
	private hasNewer({ known }: ListNumber, checkedAt: Pick<RowResult, 'checked_at'>): boolean {
		if (known === undefined || !isAsGoodAsNew(known, this.reuse)) return false;
		return timeOf(known) >= timeOf(checkedAt);
	}

	/** The number of the list that is written like this, if it needs a result. */
	private openNumber(written: string): ListNumber | undefined {
		const number = this.byKey.get(keyInList(written));
		return number?.from === undefined ? number : undefined;
	}

	private offer(number: ListNumber, result: RowResult): void {
		const { known } = number;
		const isBetter =
			known === undefined ||
			(isAsGoodAsNew(known, this.reuse) === isAsGoodAsNew(result, this.reuse)
				? timeOf(result) > timeOf(known)
				: isAsGoodAsNew(result, this.reuse));
		if (isBetter) number.known = result;
	}
}

/** The run keeps results under this key, too: the # keeps them apart from the records of Phone Number: Check. */
const keyInList = (written: string) => `#${sameNumberKey(written)}`;

/** Returns whether the cell keeps its own result. */
function addResult(number: ListNumber, own: RowResult | undefined, reuse: Reuse): boolean {
	if (own === undefined) return false;
	const isNew = isAsGoodAsNew(own, reuse);
	if (!isValid(own)) {
		if (isNew) number.invalid ??= own;
		return false;
	}
	if (!isNew) {
		number.outdated ??= own;
		return false;
	}
	number.from = 'before';
	number.result ??= own;
	return true;
}

/** In milliseconds since the Unix epoch. Spreadsheets save times in other ways, which nobody can read for sure. */
export function timeOf({ checked_at: at }: Pick<RowResult, 'checked_at'>): number {
	const time = ISO_TIME.test(at) ? Date.parse(at) : NaN;
	return Number.isNaN(time) ? -Infinity : time;
}

/** A time that is a little ahead of our clock is another computer's. */
function isAsGoodAsNew(result: RowResult, reuse: Reuse): boolean {
	const age = reuse.now - timeOf(result);
	return reuse.days > 0 && age < reuse.days * DAY && age > -DAY;
}

/** Whether a result still belongs to its cell, as far as that can be seen. */
export function belongsTo(text: string, result: RowResult): boolean {
	const { valid, phone_e164 } = result;
	if (valid !== 'TRUE' && valid !== 'FALSE') return false;
	const key = sameNumberKey(phone_e164);
	return /^\+?\d+$/.test(key) && isWritten(text, digitsOf(key));
}

/** Without a plus, the service may have added the country code, and taken a 0 or 8 away. */
function isWritten(text: string, number: string): boolean {
	const digits = digitsOf(text);
	const national = digits.replace(/^[08]/, '');
	const isComplete = text.includes('+') || rightLength(digits) === digits.length;
	const mayBeNational = !isComplete && national.length >= FEWEST_NATIONAL_DIGITS;
	const isNational = mayBeNational && national !== number && number.endsWith(national);
	return digits === number || isNational;
}
