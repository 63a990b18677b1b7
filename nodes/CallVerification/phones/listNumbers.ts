import type { TimeSlice } from '../pacing/time';
import { type ListFile, NO_RESULT, type RowResult } from './listFile';
import { readPhoneToCheck, sameNumberKey } from './phone';
import { digitsOf } from './writing';

const DAY = 24 * 60 * 60 * 1_000;
/** Other dates are a spreadsheet's: nobody knows which of 05.11. and 11.05. is the day. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** Digits of a number without its country code. With fewer, other numbers would end like that. */
const FEWEST_NATIONAL_DIGITS = 9;
/** Files of version 1.0.0 call cells that could not be read invalid. */
const ONCE_INVALID = new Set([
	'The phone number is empty',
	'Not a phone number',
	'Two numbers in one cell',
	'A spreadsheet has rounded the phone number: format the column as text',
]);
const isValid = ({ valid }: RowResult) => valid === 'TRUE';
/** Of every valid number, and of an invalid one if its country code was known. */
const saysWhich = (result: RowResult | undefined) => !!result && result.phone_e164 !== '';

export class ListNumber {
	rows = 0;
	result: RowResult | undefined;
	outdated: RowResult | undefined;
	/** What one of its rows says, or all of them if they do not say which number was invalid. */
	invalid: RowResult | undefined;
	/** Where its result comes from, or why it has no new one. Nothing is sent for `cell` and `before`. */
	from: 'cell' | 'before' | 'service' | 'outdated' | 'failed' | 'not_checked' | undefined;

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
	readonly daysIfInvalid: number;
	readonly countryCode?: string;
}

/** The results of a file that was checked before, by the key of their number. */
export async function knownNumbers(
	file: ListFile,
	column: number | undefined,
	reuse: Reuse,
	slice: TimeSlice,
) {
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
		if (saysWhich(result)) add(result.phone_e164, result);
		// Without a plus, a number that starts with 8 has another key.
		const cell = column === undefined ? '' : file.cell(row, column);
		const { text } = readPhoneToCheck(cell, reuse.countryCode);
		const isAdded = text === undefined || text === result.phone_e164;
		if (!isAdded && belongsTo(text, result)) add(text, result);
	}
	return known;
}

/** The different numbers of a list, in its order, with what is known before anything is sent. */
export async function readNumbers(
	file: ListFile,
	column: number,
	reuse: Reuse,
	known: ReadonlyMap<string, RowResult>,
	slice: TimeSlice,
) {
	const byKey = new Map<string, ListNumber>();
	/** Undefined for a row that keeps its own result. */
	const ofRows: Array<ListNumber | undefined> = [];
	for (let row = 0; row < file.rowCount; row++) {
		if (slice.isOver) await slice.next();
		const { text, problem } = readPhoneToCheck(file.cell(row, column), reuse.countryCode);
		const key = text === undefined ? `\0${problem}` : sameNumberKey(text);
		const number = byKey.get(key) ?? new ListNumber(key, text ?? '');
		byKey.set(key, number);
		number.rows += 1;
		if (text !== undefined) {
			const own = file.earlier(row);
			const isKept = addResult(number, own && belongsTo(text, own) ? own : undefined, reuse);
			ofRows.push(isKept ? undefined : number);
		} else {
			number.result ??= { ...NO_RESULT, reason: problem };
			number.from = 'cell';
			ofRows.push(number);
		}
	}
	const numbers = [...byKey.values()];
	for (const number of numbers) {
		if (slice.isOver) await slice.next();
		const result = number.invalid ?? known.get(number.key);
		if (number.from !== undefined || result === undefined) continue;
		if (isAsGoodAsNew(result, reuse)) Object.assign(number, { result, from: 'before' });
		else number.outdated ??= result;
	}
	// What must be sent. If not all of it can be, numbers with an old result can wait.
	const unknown = numbers.filter(({ from }) => from === undefined);
	unknown.sort((one, other) => Number(!!one.outdated) - Number(!!other.outdated));
	const resultOf = (row: number) =>
		(ofRows[row] === undefined ? file.earlier(row) : ofRows[row].result) ?? NO_RESULT;
	return { numbers, unknown, resultOf };
}

/** Returns whether the row keeps its own result. */
function addResult(number: ListNumber, own: RowResult | undefined, reuse: Reuse): boolean {
	const isNew = own !== undefined && isAsGoodAsNew(own, reuse);
	const isKept = isNew && isValid(own);
	const invalid = isNew && !isKept ? own : undefined;
	// Without its number, a row may have had another cell then, all the more if other rows say something else.
	const isAgreed = number.rows === 1 || invalid === undefined || saysWhich(invalid);
	if (isAgreed && !saysWhich(number.invalid)) number.invalid = invalid;
	if (isKept) number.from = 'before';
	if (isKept) number.result ??= own;
	else if (own !== undefined && isValid(own)) number.outdated ??= own;
	return isKept;
}

/** A time that is a little ahead of our clock is another computer's. */
function isAsGoodAsNew(result: RowResult, reuse: Reuse): boolean {
	const days = saysWhich(result) ? reuse.days : reuse.daysIfInvalid;
	const age = reuse.now - (ISO_TIME.test(result.checked_at) ? Date.parse(result.checked_at) : NaN);
	return days > 0 && age < days * DAY && age > -DAY;
}

/** Whether a result still belongs to its cell, as far as that can be seen. */
function belongsTo(text: string, result: RowResult): boolean {
	const { valid, phone_e164, reason } = result;
	if (valid !== 'TRUE' && valid !== 'FALSE') return false;
	// A reason of ours, or none, is that of a cell that could not be read; this one can.
	if (!saysWhich(result)) return valid === 'FALSE' && reason !== '' && !ONCE_INVALID.has(reason);
	const key = sameNumberKey(phone_e164);
	return /^\+?\d+$/.test(key) && isWritten(text, digitsOf(key));
}

/** Without a plus, the service may have added the country code, and taken a 0 or 8 away. */
function isWritten(text: string, number: string): boolean {
	const digits = digitsOf(text);
	const national = digits.replace(/^[08]/, '');
	const mayBeNational = !text.includes('+') && national.length >= FEWEST_NATIONAL_DIGITS;
	const isNational = mayBeNational && national !== number && number.endsWith(national);
	return digits === number || isNational;
}
