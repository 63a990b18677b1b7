import { CELL_PROBLEMS, NOT_A_NUMBER, readPhoneToCheck, sameNumberKey } from './phone';
import type { PhoneToCheck } from './phone';
import type { Breather } from '../pacing/pool';
import type { ListFile } from './listFile';
import type { RowResult } from './rowResult';

const DAY = 24 * 60 * 60 * 1_000;
/** Far above any number with its notes. Longer ones take time, and no service reads them. */
const LONGEST_CELL = 1_000;
/** Other dates are a spreadsheet's: nobody knows which of 05.11. and 11.05. is the day. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** Digits of a number without its country code. With fewer, other numbers would end like that. */
const FEWEST_NATIONAL_DIGITS = 9;
/** Words around a number. */
const BETWEEN_NUMBERS = /[^\d\s\p{Dash}.()+]/u;

export const NO_RESULT: RowResult = {
	valid: '',
	phone_e164: '',
	mobile: '',
	operator: '',
	country: '',
	region: '',
	reason: '',
	checked_at: '',
};

/** A number of a list, in as many rows as it stands. */
export interface ListNumber {
	readonly key: string;
	/** To send. */
	readonly text: string;
	rows: number;
	/** Undefined until there is one. */
	result: RowResult | undefined;
	/** A result that is too old, but better than none. */
	outdated: RowResult | undefined;
	/** Rows that say it is not valid, and what the first of them says. */
	refusals: number;
	refusal: RowResult | undefined;
	/** Where it comes from; nothing is sent for `cell` and `before`. */
	from: 'cell' | 'before' | 'long ago' | 'service' | 'nowhere';
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
	breather: Breather,
): Promise<KnownResults> {
	const known = new Map<string, RowResult>();
	const add = (written: string, result: RowResult) => {
		const key = sameNumberKey(written);
		const before = known.get(key);
		if (before === undefined || !isAsGoodAsNew(before, reuse)) known.set(key, result);
	};
	for (let row = 0; row < file.rowCount; row++) {
		if (breather.isDue) await breather.breathe();
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
	private readonly numberOf: Int32Array;

	private readonly byKey = new Map<string, number>();

	private constructor(private readonly file: ListFile) {
		this.numberOf = new Int32Array(file.rowCount);
	}

	static async read(
		file: ListFile,
		column: number,
		reuse: Reuse,
		known: KnownResults,
		breather: Breather,
	): Promise<ListNumbers> {
		const numbers = new ListNumbers(file);
		for (let row = 0; row < file.rowCount; row++) {
			if (breather.isDue) await breather.breathe();
			numbers.add(row, column, reuse);
		}
		for (const number of numbers.all) {
			// Nothing else shows that their cells are still the same.
			if (number.from === 'nowhere' && number.refusals === number.rows) {
				Object.assign(number, { result: number.refusal, from: 'before' });
			}
			const result = number.from === 'nowhere' ? known.get(number.key) : undefined;
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

	resultOf(row: number): RowResult {
		const index = this.numberOf[row] ?? 0;
		const own = index < 0 ? this.file.earlier(row) : undefined;
		return own ?? this.all[index]?.result ?? NO_RESULT;
	}

	private add(row: number, column: number, reuse: Reuse): void {
		const { text, problem } = readCell(this.file, row, column, reuse);
		const index =
			problem === undefined
				? this.indexOf(sameNumberKey(text), () => ({ text, from: 'nowhere' }))
				: this.indexOf(`\0${problem}`, () => ({
						from: 'cell',
						result: invalid(problem, new Date(reuse.now).toISOString()),
					}));
		const number = this.all[index];
		if (number === undefined) return;
		number.rows++;
		this.numberOf[row] = index;
		if (text === undefined) return;
		const own = this.file.earlier(row);
		if (own === undefined || !belongsTo(text, own)) return;
		if (!isAsGoodAsNew(own, reuse)) {
			// Of an invalid one, nothing shows that its cell is still the same.
			if (isValid(own)) number.outdated ??= own;
			return;
		}
		if (!isValid(own)) {
			number.refusal ??= own;
			number.refusals++;
			return;
		}
		this.numberOf[row] = ~index;
		number.result ??= own;
		number.from = 'before';
	}

	private indexOf(key: string, create: () => Partial<ListNumber>): number {
		const known = this.byKey.get(key);
		if (known !== undefined) return known;
		const index = this.all.length;
		this.byKey.set(key, index);
		this.all.push({
			key,
			text: '',
			rows: 0,
			result: undefined,
			outdated: undefined,
			refusals: 0,
			refusal: undefined,
			from: 'nowhere',
			...create(),
		});
		return index;
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
	// The reason of a cell that could not be read; this one can.
	if (valid !== 'TRUE') return valid === 'FALSE' && !CELL_PROBLEMS.has(reason);
	const key = sameNumberKey(phone_e164);
	if (!/^\+?\d+$/.test(key)) return false;
	const number = digitsIn(key);
	return text.split(BETWEEN_NUMBERS).some((part) => isWritten(part, number));
}

/** Without a plus, the service may have added the country code, and taken a 0 or 8 away. */
function isWritten(text: string, number: string): boolean {
	const digits = digitsIn(text);
	if (digits === number) return true;
	const national = digits.replace(/^[08]/, '');
	return (
		!text.includes('+') &&
		national.length >= FEWEST_NATIONAL_DIGITS &&
		national.length < number.length &&
		number.endsWith(national)
	);
}

function digitsIn(text: string): string {
	return text.replace(/\D/g, '');
}

function readCell(
	file: ListFile,
	row: number,
	column: number,
	{ countryCode }: Reuse,
): PhoneToCheck {
	const cell = file.cell(row, column);
	if (cell.length > LONGEST_CELL) return { source: cell, problem: NOT_A_NUMBER };
	return readPhoneToCheck(cell, countryCode);
}

function invalid(reason: string, checked_at: string): RowResult {
	return { ...NO_RESULT, valid: 'FALSE', reason, checked_at };
}
