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

export interface ResultPlaces {
	/** Where each of RESULT_COLUMNS stands. */
	readonly columns: readonly number[];
	/** The names of columns that the file does not have yet. */
	readonly added: readonly string[] | undefined;
}

/**
 * Where the file has all eight from an earlier run, they are updated. Each is the last of its series (`valid`,
 * `result_valid`, `result_valid_2` …), and a new one comes after all of its series, so that the next run finds it.
 */
export function placeResults(columns: readonly string[], width: number): ResultPlaces {
	const series = RESULT_COLUMNS.map((name) => lastOfSeries(columns, name));
	if (series.every(({ column }) => column !== -1)) {
		return { columns: series.map(({ column }) => column), added: undefined };
	}
	return {
		columns: series.map((_, index) => width + index),
		added: series.map(({ next }) => next),
	};
}

/** Numbers that this operation wrote, not the cells they were read from. */
export function isResultNumber(column: string): boolean {
	return numberInSeries(column, 'phone_e164') > 0;
}

function lastOfSeries(columns: readonly string[], name: ResultColumn) {
	let column = -1;
	let last = 0;
	columns.forEach((candidate, index) => {
		const number = numberInSeries(candidate, name);
		if (number <= last) return;
		last = number;
		column = index;
	});
	const next = last === 0 ? name : last === 1 ? `result_${name}` : `result_${name}_${last}`;
	return { column, next };
}

/** 1 for `valid`, 2 for `result_valid`, 3 for `result_valid_2`, 0 for anything else. */
function numberInSeries(column: string, name: ResultColumn): number {
	const text = column.trim().toLowerCase();
	if (text === name) return 1;
	if (text === `result_${name}`) return 2;
	const prefix = `result_${name}_`;
	const number = text.startsWith(prefix) ? text.slice(prefix.length) : '';
	return /^[1-9]\d{0,8}$/.test(number) && number !== '1' ? Number(number) + 1 : 0;
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
