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

/** What spreadsheets take for a formula, also in full width, after blanks, quotes or letters that nobody sees. */
const FORMULA_START = '[\\s"\\p{Cf}\\p{DI}\\u2800]*[=+\\-@＝＋－＠﹢﹣−]';
/** At the start of a cell, or after what separates cells for a spreadsheet in another country. Quotes do not help there. */
const FORMULAS = new RegExp(`(?<=^|[;,|])(?=${FORMULA_START})`, 'gu');
const DISARMED = new RegExp(`(?<=^|[;,|])'(?=${FORMULA_START})`, 'gu');
/** Most texts need nothing of what follows, and it takes most of the time. */
const SAFE = /^(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_ :.-]*[\p{L}\p{N}_])?)?$/u;

/** The result columns of one phone column. */
export interface ResultSet {
	/** What all of its names end with: ` (Mobile)`, or nothing if it is the only set of the file. */
	readonly ending: string;
	/** Where each of RESULT_COLUMNS is. Undefined for one that the file does not have yet. */
	readonly columns: ReadonlyArray<number | undefined>;
	/** For each of RESULT_COLUMNS, the name of a new one. */
	readonly newNames: readonly string[];
	/** False if some were deleted: then what is left may be the user's own. */
	readonly isWhole: boolean;
}

/** The names of a header in one writing. Made once, because a file can have thousands of columns. */
export type HeaderKeys = readonly string[];
export const headerKeys = (header: readonly string[]): HeaderKeys => header.map(nameKey);

export const endingFor = (label: string) => ` (${label})`;

/** More than Check File writes. */
const MOST_SETS = 50;
export const keyOf = (name: string) => name.replace(DISARMED, '').toLowerCase();
const nameKey = (name: string) => keyOf(name).trim();
const NUMBER_OF_SET = /^(?:result_)?phone_e164(?:_\d{1,9})?( \(.*\))?$/s;
/** Written by Check File, though other columns of its set may be missing. */
export const isResultNumber = (name: string) => NUMBER_OF_SET.test(nameKey(name));

/** The sets of earlier runs. */
export function findResultSets(header: HeaderKeys): ResultSet[] {
	const endings = header.flatMap((name) => {
		const match = NUMBER_OF_SET.exec(name);
		return match === null ? [] : [match[1] ?? ''];
	});
	const different = [...new Set(endings)].slice(0, MOST_SETS);
	return different.flatMap((ending) => findResultSet(header, ending) ?? []);
}

export function newResultSet(header: HeaderKeys, ending: string): ResultSet {
	return {
		ending,
		columns: RESULT_COLUMNS.map(() => undefined),
		newNames: RESULT_COLUMNS.map((name) => lastOfSeries(header, name, ending).next),
		isWhole: true,
	};
}

/**
 * The columns of an earlier run are updated. Each is the last of its series (`valid`, `result_valid`, `result_valid_2`
 * …), and a new one comes after all of its series, so that the next run finds it. If some were deleted, only what
 * stands from `valid` over `phone_e164` to `checked_at` is surely not the user's own. If all seem to be there, one
 * before `valid` may still be the user's own: ours was `result_country` and deleted because there is a `country`.
 */
function findResultSet(header: HeaderKeys, ending: string): ResultSet | undefined {
	const series = RESULT_COLUMNS.map((name) => lastOfSeries(header, name, ending));
	const [valid = -1, number = -1, ...others] = series.map(({ column }) => column);
	const checkedAt = others.at(-1) ?? -1;
	const isWhole = series.every(({ column }) => column !== -1);
	const isInOrder = valid !== -1 && valid < number && number < checkedAt;
	if (!isWhole && !isInOrder) return undefined;
	const isOurs = (column: number) =>
		column !== -1 && (isWhole || column <= checkedAt) && !(isInOrder && column < valid);
	return {
		ending,
		columns: series.map(({ column }) => (isOurs(column) ? column : undefined)),
		newNames: series.map(({ next }) => next),
		isWhole,
	};
}

function lastOfSeries(header: HeaderKeys, name: ResultColumn, ending: string) {
	const end = keyOf(ending);
	// 1 for `valid`, 2 for `result_valid`, 3 for `result_valid_2`.
	const inSeries = new RegExp(`^(?:${name}|(result_${name})(?:_([2-9]|[1-9]\\d{1,8}))?)$`);
	const numbers = header.map((key) => {
		if (!key.endsWith(end)) return 0;
		const match = inSeries.exec(key.slice(0, key.length - end.length));
		if (match === null) return 0;
		return match[1] === undefined ? 1 : Number(match[2] ?? 1) + 1;
	});
	const last = Math.max(0, ...numbers);
	if (last === 0) return { column: -1, next: name + ending };
	const next = last === 1 ? `result_${name}` : `result_${name}_${last}`;
	return { column: numbers.indexOf(last), next: next + ending };
}

export function writeResultCell(name: keyof RowResult, value: string, delimiter: string): string {
	if (SAFE.test(value)) return value;
	const text = safeText(name, value);
	return text.includes(delimiter) || text.includes('"') ? quoted(text) : text;
}

/** In quotes also for other delimiters, because the header shows which one the file has. */
export function writeNewName(name: string): string {
	const text = safeText('reason', name);
	return /[;\t,|"]/.test(text) ? quoted(text) : text;
}

function safeText(name: keyof RowResult, value: string): string {
	const line = value.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
	const isNumber = name === 'phone_e164' && /^\+\d{1,15}$/.test(line);
	return isNumber ? line : line.replace(FORMULAS, "'");
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

// Spreadsheets save what they show, in the language of their user.
const YES = /^(?:true|истина|істина|wahr|vrai|verdadero|verdadeiro|vero|prawda)$/i;
const NO = /^(?:false|ложь|хибність|falsch|faux|falso|fałsz)$/i;

/** The result as it was written, though a spreadsheet may have saved the file since. */
export function readResultCell(name: keyof RowResult, cell: string): string {
	const text = cell.trim();
	if (name === 'phone_e164') return text.replace(/^'(?=\+?\d+$)/, '');
	if (name === 'valid' || name === 'mobile') {
		if (text === 'TRUE' || text === 'FALSE') return text;
		if (YES.test(text)) return 'TRUE';
		return NO.test(text) ? 'FALSE' : text;
	}
	return text.includes("'") ? text.replace(DISARMED, '') : text;
}
