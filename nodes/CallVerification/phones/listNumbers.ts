import { InputError } from '../contract/request';
import { concernsEverything, isFinal, ServiceError } from '../transport/errors';
import { Budget, BudgetSpentError } from '../pacing/budget';
import { type Attempts, LostAttempts } from '../pacing/retry';
import { type Clock, runInOrder, settled, StoppedError, type TimeSlice } from '../pacing/time';
import { type ListFile, NO_RESULT, type RowResult } from './listFile';
import {
	CELL_PROBLEMS,
	digitsOf,
	NOT_A_NUMBER,
	type PhoneToCheck,
	readPhoneToCheck,
	sameNumberKey,
} from './phone';
import {
	checkAt,
	type CheckContext,
	type CheckResult,
	type PhoneChecks,
	priceOf,
} from './phoneChecks';

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
	/** What its first row says, if all of them were found invalid a short time ago. */
	invalid: RowResult | undefined;
	/** Where its result comes from, or why it has no new one. Nothing is sent for `cell` and `before`. */
	from: 'cell' | 'before' | 'service' | 'outdated' | 'failed' | 'not_checked' | undefined;

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

/** The different numbers of a list, in its order, with what is known about them before anything is sent. */
export async function readNumbers(
	file: ListFile,
	column: number,
	reuse: Reuse,
	known: KnownResults,
	slice: TimeSlice,
) {
	const byKey = new Map<string, ListNumber>();
	/** By row; none for a row that keeps its own result. */
	const ofRows: Array<ListNumber | undefined> = [];
	for (let row = 0; row < file.rowCount; row++) {
		if (slice.isOver) await slice.next();
		const { text, problem } = readCell(file, row, column, reuse);
		const key = problem === undefined ? sameNumberKey(text) : `\0${problem}`;
		const number = byKey.get(key) ?? new ListNumber(key, text ?? '');
		byKey.set(key, number);
		number.rows += 1;
		if (problem === undefined) {
			const own = file.earlier(row);
			const isKept = addResult(number, own && belongsTo(text, own) ? own : undefined, reuse);
			ofRows.push(isKept ? undefined : number);
		} else {
			const checked_at = new Date(reuse.now).toISOString();
			number.result ??= { ...NO_RESULT, valid: 'FALSE', reason: problem, checked_at };
			number.from = 'cell';
			ofRows.push(number);
		}
	}
	const numbers = [...byKey.values()];
	for (const number of numbers) {
		if (slice.isOver) await slice.next();
		if (number.from !== undefined) continue;
		const result = number.invalid ?? known.get(number.key);
		if (result === undefined) continue;
		if (isAsGoodAsNew(result, reuse)) Object.assign(number, { result, from: 'before' });
		else number.outdated ??= result;
	}
	// What must be sent. If not all of it can be, numbers with an old result can wait.
	const unknown = numbers.filter(({ from }) => from === undefined);
	unknown.sort((one, other) => Number(!!one.outdated) - Number(!!other.outdated));
	const resultOf = (row: number) => {
		const number = ofRows[row];
		return (number === undefined ? file.earlier(row) : number.result) ?? NO_RESULT;
	};
	return { numbers, unknown, resultOf };
}

/** Adds what a row says about its number. Returns whether the row keeps this result. */
function addResult(number: ListNumber, own: RowResult | undefined, reuse: Reuse): boolean {
	const isNew = own !== undefined && isAsGoodAsNew(own, reuse);
	const isKept = isNew && isValid(own);
	const invalid = isNew && !isKept ? own : undefined;
	// If one of its rows says something else, its cell may have been another one then.
	if (number.rows === 1 || invalid === undefined) number.invalid = invalid;
	if (isKept) {
		number.result ??= own;
		number.from = 'before';
	} else if (own !== undefined && isValid(own)) {
		number.outdated ??= own;
	}
	return isKept;
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

/** What the checks of a file need of the item that it came with. */
interface ListContext extends CheckContext {
	readonly itemIndex: number;
	readonly clock: Clock;
	/** How many requests can be on their way at once. */
	readonly width: number;
	readonly stop: AbortSignal;
	readonly phoneChecks: PhoneChecks;
	readonly report: { done: number; failed: number };
	hasGivenUp(): boolean;
}

/** A check for rows of a file. Not the whole record, because a file can have 100,000 numbers. */
type PaidRow = {
	readonly result: RowResult;
	readonly cost: number | undefined;
	/** Whose file it was paid for. */
	readonly item: number;
};

/** Checks the numbers of one file. No failure ends it, because a file with gaps can be continued and a lost one cannot. */
export class ListChecks {
	/** What the numbers of this file have cost, as far as the service says. */
	cost = 0;
	/** The problem of the first number that has one. */
	problem: { readonly index: number; readonly error: unknown } | undefined;
	/** Each check counts as one, and so does one that was lost, as with money. */
	private readonly checks = new Budget({ dearest: 1 });
	/** Why no further number is sent, once that is certain. */
	private end: unknown;
	/** The same few texts come with every record, and the same few reasons with every gap. */
	private readonly texts = new Map<string, string>();
	private readonly gaps = new Map<string, RowResult>();

	constructor(
		private readonly context: ListContext,
		/** Checks of this file, and cost of the run; Infinity for no limit. */
		private readonly limits: { readonly maxChecks: number; readonly maxTotalCost: number },
	) {}

	async checkAll(numbers: readonly ListNumber[]): Promise<void> {
		const { clock, width, stop } = this.context;
		const run = async (index: number) => {
			const number = numbers[index];
			if (number !== undefined) await this.check(number, index);
		};
		await runInOrder({ count: numbers.length, width, clock, stop, run });
		if (!stop.aborted) return;
		const stopped = new StoppedError();
		numbers.forEach((number, index) => {
			if (number.result === undefined) this.leave(number, index, 'not_checked', stopped);
		});
	}

	private async check(number: ListNumber, index: number): Promise<void> {
		if (this.end !== undefined) return this.leave(number, index, 'not_checked', this.end);
		const { phoneChecks } = this.context;
		// Not the key of the record that Phone Number: Check keeps.
		const key = `row ${number.key}`;
		const lost = new LostAttempts();
		const known = phoneChecks.find<PaidRow>(key);
		if (known !== undefined) return this.take(number, known);
		const paid = await settled(this.pay(key, number.text, lost));
		if (paid.status === 'fulfilled') return this.take(number, paid.value);
		if (paid.reason instanceof StoppedError) throw paid.reason;
		const isLimit = paid.reason instanceof BudgetSpentError;
		const error: unknown = isLimit ? maxChecksError(this.limits.maxChecks) : paid.reason;
		const isForAll = this.isForAll(error);
		if (isLimit || (isForAll && this.context.hasGivenUp())) this.end = error;
		const isUnsent = !lost.any && (isForAll || error instanceof InputError);
		this.leave(number, index, isUnsent ? 'not_checked' : 'failed', error);
	}

	/** Whether every other number would get it, too. */
	private isForAll(error: unknown): boolean {
		if (concernsEverything(error)) return true;
		return this.context.hasGivenUp() && !(error instanceof ServiceError && isFinal(error));
	}

	private async pay(key: string, text: string, own: LostAttempts): Promise<PaidRow> {
		const { context, limits } = this;
		const ask = (counted: Attempts) => async (paid: Attempts) => {
			const lost = () => [own, counted, paid].forEach((attempts) => attempts.lost());
			// Only money is counted anew: waiting for two budgets at once might never end.
			const result = await checkAt(context, text, { lost, again: paid.again });
			return { result: this.rowOf(result), cost: priceOf(result), item: context.itemIndex };
		};
		const payment = { key, maxTotalCost: limits.maxTotalCost };
		const pay = async (counted: Attempts) =>
			await context.phoneChecks.pay(context, payment, ask(counted), ({ cost }) => cost);
		return await this.checks.spend({ key, most: limits.maxChecks }, pay, () => 1);
	}

	private take(number: ListNumber, { result, cost = 0, item }: PaidRow): void {
		const isOfThisFile = item === this.context.itemIndex;
		number.result = result;
		number.from = isOfThisFile ? 'service' : 'before';
		if (isOfThisFile) this.cost += cost;
		this.context.report.done += 1;
	}

	private leave(
		number: ListNumber,
		index: number,
		kind: 'failed' | 'not_checked',
		error: unknown,
	): void {
		if (index < (this.problem?.index ?? Infinity)) this.problem = { index, error };
		const reason = `${kind}: ${error instanceof Error ? error.message : String(error)}`;
		number.result = number.outdated ?? this.gaps.get(reason) ?? { ...NO_RESULT, reason };
		number.from = number.outdated === undefined ? kind : 'outdated';
		if (number.outdated === undefined) this.gaps.set(reason, number.result);
		if (kind === 'not_checked') return;
		this.context.report.done += 1;
		this.context.report.failed += 1;
	}

	private rowOf(result: CheckResult): RowResult {
		const { valid, phone_e164, mobile, provider, country, region, reason } = result;
		return {
			valid: valid ? 'TRUE' : 'FALSE',
			phone_e164,
			mobile: valid && typeof mobile === 'number' ? (mobile === 1 ? 'TRUE' : 'FALSE') : '',
			operator: this.shared(provider),
			country: this.shared(country),
			region: this.shared(region),
			reason: this.shared(reason),
			checked_at: new Date(this.context.clock.wallTime()).toISOString(),
		};
	}

	private shared(value: unknown): string {
		const text = typeof value === 'string' ? value : '';
		const known = this.texts.get(text) ?? text;
		this.texts.set(known, known);
		return known;
	}
}

function maxChecksError(maxChecks: number): InputError {
	return new InputError(
		`“Max Checks” is ${maxChecks}, so this number was not checked`,
		'Raise it, or pass the output file to this operation again.',
	);
}
