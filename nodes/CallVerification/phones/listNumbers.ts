import type { TimeSlice } from '../pacing/time';
import { type ListFile, NO_RESULT, type RowResult } from './listFile';
import {
	CELL_PROBLEMS,
	digitsOf,
	NOT_A_NUMBER,
	type PhoneToCheck,
	readPhoneToCheck,
	sameNumberKey,
} from './writtenNumber';

const DAY = 24 * 60 * 60 * 1_000;
/** Far above any number with its notes. Longer ones take time, and no service reads them. */
const MOST_CHARACTERS = 1_000;
/** Other dates are a spreadsheet's: nobody knows which of 05.11. and 11.05. is the day. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** Digits of a number without its country code. With fewer, other numbers would end like that. */
const FEWEST_NATIONAL_DIGITS = 9;
const WORDS_AROUND_NUMBER = /[^\d\s\p{Dash}.()+]/u;

/** A number of a list, in as many rows as it stands. */
export class ListNumber {
	rows = 0;
	result: RowResult | undefined;
	/** A result that is too old, but better than none. */
	outdated: RowResult | undefined;
	/** What the first of the rows says that were found invalid a short time ago, and how many do. */
	invalid: RowResult | undefined;
	invalidRows = 0;
	/** Where its result comes from; nothing is sent for `cell` and `before`. */
	from: 'cell' | 'before' | 'long ago' | 'service' | 'nowhere' = 'nowhere';

	constructor(
		readonly key: string,
		/** To send. */
		readonly text: string,
	) {}
}

/** Which results of before are as good as new ones. */
export interface Reuse {
	/** In milliseconds since the Unix epoch. */
	readonly now: number;
	readonly days: number;
	/** The same for invalid numbers. */
	readonly daysIfInvalid: number;
	readonly countryCode?: string;
}

export type KnownResults = ReadonlyMap<string, RowResult>;

/**
 * The results of a file that was checked before, by the key of their number.
 *
 * @param column Where its numbers are, if that is known.
 */
export async function knownNumbers(
	file: ListFile,
	column: number | undefined,
	reuse: Reuse,
	slice: TimeSlice,
): Promise<KnownResults> {
	const known = new Map<string, RowResult>();
	const add = (written: string, result: RowResult) => {
		const key = sameNumberKey(written);
		const before = known.get(key);
		if (before === undefined || !isAsGoodAsNew(before, reuse)) known.set(key, result);
	};
	for (let row = 0; row < file.rowCount; row++) {
		if (slice.isOver) await slice.next();
		const result = file.earlier(row);
		if (result === undefined || result.valid === '') continue;
		if (isValid(result)) add(result.phone_e164, result);
		// Without a plus, a number that starts with 8 has another key.
		const text = column === undefined ? undefined : readCell(file, row, column, reuse).text;
		if (text !== undefined && belongsTo(text, result)) add(text, result);
	}
	return known;
}

/** The different numbers of a list, with what is known about them before anything is sent. */
export class ListNumbers {
	/** In the order of the file. */
	readonly all: ListNumber[] = [];

	/** By row; the complement for a row that keeps its own result. */
	private readonly indexes: Int32Array;

	private readonly indexByKey = new Map<string, number>();

	private constructor(private readonly file: ListFile) {
		this.indexes = new Int32Array(file.rowCount);
	}

	static async read(
		file: ListFile,
		column: number,
		reuse: Reuse,
		known: KnownResults,
		slice: TimeSlice,
	): Promise<ListNumbers> {
		const numbers = new ListNumbers(file);
		for (let row = 0; row < file.rowCount; row++) {
			if (slice.isOver) await slice.next();
			numbers.add(row, readCell(file, row, column, reuse), reuse);
		}
		for (const number of numbers.all) {
			if (slice.isOver) await slice.next();
			if (number.from !== 'nowhere') continue;
			// If one of its rows says something else, its cell may have been another one then.
			const result = number.invalidRows === number.rows ? number.invalid : known.get(number.key);
			if (result === undefined) continue;
			if (isAsGoodAsNew(result, reuse)) Object.assign(number, { result, from: 'before' });
			else number.outdated ??= result;
		}
		return numbers;
	}

	/** What must be sent. If not all of it can be, those with an old result can wait. */
	get unknown(): ListNumber[] {
		const unknown = this.all.filter(({ from }) => from === 'nowhere');
		const isNew = ({ outdated }: ListNumber) => outdated === undefined;
		return [...unknown.filter(isNew), ...unknown.filter((number) => !isNew(number))];
	}

	/** How many rows have such a number. */
	countRows(isCounted: (number: ListNumber) => boolean): number {
		return this.all.reduce((sum, number) => (isCounted(number) ? sum + number.rows : sum), 0);
	}

	resultOf(row: number): RowResult {
		const index = this.indexes[row] ?? 0;
		const own = index < 0 ? this.file.earlier(row) : undefined;
		return own ?? this.all[index]?.result ?? NO_RESULT;
	}

	private add(row: number, { text, problem }: PhoneToCheck, reuse: Reuse): void {
		const key = problem === undefined ? sameNumberKey(text) : `\0${problem}`;
		const index = this.indexByKey.get(key) ?? this.all.length;
		const number = (this.all[index] ??= new ListNumber(key, text ?? ''));
		this.indexByKey.set(key, index);
		this.indexes[row] = index;
		number.rows++;
		if (problem !== undefined) {
			const checked_at = new Date(reuse.now).toISOString();
			number.result ??= { ...NO_RESULT, valid: 'FALSE', reason: problem, checked_at };
			number.from = 'cell';
			return;
		}
		const own = this.file.earlier(row);
		if (own === undefined || !belongsTo(text, own)) return;
		if (!isValid(own)) {
			if (!isAsGoodAsNew(own, reuse)) return;
			number.invalid ??= own;
			number.invalidRows++;
		} else if (isAsGoodAsNew(own, reuse)) {
			this.indexes[row] = ~index;
			number.result ??= own;
			number.from = 'before';
		} else {
			number.outdated ??= own;
		}
	}
}

/** A result that is not too old. A little ahead of our clock is another computer's time. */
function isAsGoodAsNew(result: RowResult, reuse: Reuse): boolean {
	const days = isValid(result) ? reuse.days : reuse.daysIfInvalid;
	const { checked_at: at } = result;
	const age = reuse.now - (ISO_TIME.test(at) ? Date.parse(at) : NaN);
	return days > 0 && age < days * DAY && age > -DAY;
}

function isValid({ valid }: RowResult): boolean {
	return valid === 'TRUE';
}

/** Whether a result still belongs to its cell, as far as that can be seen. */
function belongsTo(text: string, { valid, phone_e164, reason }: RowResult): boolean {
	// A reason of ours, or none, is that of a cell that could not be read; this one can.
	if (valid !== 'TRUE') return valid === 'FALSE' && reason !== '' && !CELL_PROBLEMS.has(reason);
	const key = sameNumberKey(phone_e164);
	if (!/^\+?\d+$/.test(key)) return false;
	const number = digitsOf(key);
	return text.split(WORDS_AROUND_NUMBER).some((part) => isWritten(part, number));
}

/** Without a plus, the service may have added the country code, and taken a 0 or 8 away. */
function isWritten(text: string, number: string): boolean {
	const digits = digitsOf(text);
	if (digits === number) return true;
	const national = digits.replace(/^[08]/, '');
	return (
		!text.includes('+') &&
		national.length >= FEWEST_NATIONAL_DIGITS &&
		national.length < number.length &&
		number.endsWith(national)
	);
}

function readCell(file: ListFile, row: number, column: number, reuse: Reuse): PhoneToCheck {
	const cell = file.cell(row, column);
	if (cell.length > MOST_CHARACTERS) return { source: cell, problem: NOT_A_NUMBER };
	return readPhoneToCheck(cell, reuse.countryCode);
}
