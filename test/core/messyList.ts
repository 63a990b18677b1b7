import { type Random, seededRandom } from '../../emulator/seededRandom';

/**
 * Lists as people keep them. For each phone cell, what must come out of it is known from how the cell was made, and not
 * by reading it. All of it is for the default country code 7.
 */

/** What a cell holds: a number, or something that cannot be read, and why. */
export type Cell =
	| { readonly text: string; readonly number: MessyNumber }
	| { readonly text: string; readonly reason: string };

export interface MessyRow {
	/** What stands before the phone cells, and behind them. */
	readonly before: readonly string[];
	readonly phones: readonly [Cell, Cell];
	readonly after: readonly string[];
}

export class MessyNumber {
	constructor(
		readonly code: string,
		readonly area: string,
		readonly rest: string,
		/** Where the service says that it is from. Empty if it says that there is no such number. */
		readonly country: string,
	) {}

	get e164(): string {
		return `+${this.code}${this.national}`;
	}

	get national(): string {
		return this.area + this.rest;
	}

	get groups(): string {
		return `${this.rest.slice(0, -4)}-${this.rest.slice(-4, -2)}-${this.rest.slice(-2)}`;
	}
}

type NumberRange = readonly [code: string, areas: string, country: string];
/** None that begins like a Kyrgyz or Uzbek number with a digit more: two reasons would be right. */
const MOBILE: NumberRange = ['7', '903 916 921 926 927 950 977', 'Russia'];
const RANGES: readonly NumberRange[] = [
	...Array<NumberRange>(8).fill(MOBILE),
	['7', '347 495 499 846', 'Russia'],
	['7', '812 831 8442', 'Russia'],
	['7', '701 727 777', 'Kazakhstan'],
	['375', '17 29 33 44', 'Belarus'],
	// No numbers begin like that.
	['7', '200 555', ''],
	['375', '99', ''],
];

/** Each index has its own number, the same in all lists. */
function numberAt(index: number): MessyNumber {
	const [code, areas, country] = RANGES[index % RANGES.length] ?? MOBILE;
	const all = areas.split(' ');
	const area = all[index % all.length] ?? '';
	const length = (code === '7' ? 10 : 9) - area.length;
	// The factor has no divisor in common with 10, so that no two are alike.
	const rest = String((index * 7_919) % 10 ** length).padStart(length, '0');
	return new MessyNumber(code, area, rest, country);
}

type Writing = (number: MessyNumber) => string;

/** Of any country. */
const WITH_CODE: readonly Writing[] = [
	({ e164 }) => e164,
	({ code, area, groups }) => `+${code} (${area}) ${groups}`,
	({ code, area, groups }) => ` +${code} ${area} ${groups.replaceAll('-', ' ')}`,
	({ code, area, rest }) => `+${code}-${area}-${rest}`,
	({ code, area, groups }) => `'+${code} ${area} ${groups}`,
	({ e164 }) => `="${e164}"`,
	({ code, area, groups }) => `+${code}\u00a0${area}\u00a0${groups}\t`,
	({ e164 }) => `\u202a${e164}\u202c`,
	({ code, area, rest }) => `tel:+${code}-${area}-${rest}`,
	({ code, national }) => `https://wa.me/${code}${national}`,
	({ e164 }) => `WhatsApp ${e164}`,
	({ code, area, groups }) => `Иван +${code} ${area} ${groups}`,
	({ code, area, groups }) => `+${code} (${area}) ${groups} (мама)`,
	({ code, area, rest }) => `Анна, бухгалтер: +${code}(${area})${rest}, звонить после 18`,
	({ code, area, groups }) => `+${code} ${area} ${groups} доб. 12`,
];
/** Of Russia and Kazakhstan, as people there write them. */
const AT_HOME: readonly Writing[] = [
	({ area, groups }) => `8 (${area}) ${groups}`,
	({ area, groups }) => `8 ${area} ${groups}`,
	({ area, rest }) => `8(${area})${rest}`,
	({ area, groups }) => `8-${area}-${groups}`,
	({ national }) => `8${national}`,
	({ national }) => `7${national}`,
	({ area, groups }) => `7 ${area} ${groups}`,
	({ national }) => `7${national}.0`,
	({ national }) => `8${national},0`,
	({ area, groups }) => `(${area}) ${groups}`,
	({ area, groups }) => `8 (${area}) ${groups} (мама)`,
	({ national }) => `8${national} WhatsApp`,
	({ area, groups }) => `моб. 8 ${area} ${groups}`,
	({ area, groups }) => `📞 8\u00a0${area}\u00a0${groups}`,
];
const TEN_DIGITS: readonly Writing[] = [
	({ national }) => national,
	({ national }) => `${national}.0`,
	({ area, groups }) => `${area} ${groups}`,
];
/** A spreadsheet shows it like that, and has lost nothing. */
const WITH_ALL_DIGITS: Writing = ({ national }) => `7,${national}E+10`;

const ROUNDED: readonly Writing[] = [
	({ area }) => `7,${area.slice(0, 2)}E+10`,
	({ national }) => `7.${national.slice(0, 5)}E+10`,
	({ national }) => `7,${national.slice(0, 8)}E+10`,
];
const TWO_NUMBERS: ReadonlyArray<(one: MessyNumber, other: MessyNumber) => string> = [
	(one, other) => `${one.e164}, ${other.e164}`,
	(one, other) => `8${one.national}; 8${other.national}`,
	(one, other) => `8 (${one.area}) ${one.groups} / 8 (${other.area}) ${other.groups}`,
	(one, other) => `+7 ${one.area} ${one.groups}\n+7 ${other.area} ${other.groups}`,
	(one, other) => `8${one.national} (мама), 8${other.national} (папа)`,
	(one) => `8 (${one.area}) ${one.groups}/01`,
];
const NO_NUMBER = ['нет', '-', 'n/a', 'см. комментарий', 'позже', '?'];
const EMPTY = ['', '', '', ' ', '\u00a0'];

const REASONS = {
	empty: 'empty',
	noNumber: 'unreadable: no number',
	twoNumbers: 'unreadable: two numbers',
	digitMissing: 'unreadable: a digit is missing',
	digitTooMany: 'unreadable: a digit too many',
	rounded: 'unreadable: rounded by a spreadsheet (format the column as text)',
};

const oneOf = <T>(values: readonly T[], random: Random): T => {
	const value = values[Math.floor(random() * values.length)];
	if (value === undefined) throw new RangeError('There is nothing to choose from');
	return value;
};

/** With other digits behind the country code; the area code stays as long as it was, as far as it can. */
function withNational(number: MessyNumber, national: string): MessyNumber {
	const length = number.area.length;
	const { code, country } = number;
	return new MessyNumber(code, national.slice(0, length), national.slice(length), country);
}

function withoutOneDigit(number: MessyNumber, random: Random): MessyNumber {
	const { national } = number;
	const place = Math.floor(random() * national.length);
	return withNational(number, national.slice(0, place) + national.slice(place + 1));
}

function withOneMoreDigit(number: MessyNumber, random: Random): MessyNumber {
	const { national } = number;
	// In front of it, the digit would be that of the country code.
	const place = 1 + Math.floor(random() * national.length);
	const digit = Math.floor(random() * 10);
	return withNational(number, national.slice(0, place) + digit + national.slice(place));
}

/** In a way that can be read, and in which a digit more or less is noticed. */
function anyWritingOf({ code, area, country }: MessyNumber, random: Random): Writing {
	// Only its country code says that a number is Belarusian, and only with it is one surely no other.
	if (code !== '7' || country === '') return oneOf(WITH_CODE, random);
	// Ten digits that begin with 7 or 8 may be eleven, of which one is missing.
	const isClear = !/^[78]/.test(area);
	return oneOf([...WITH_CODE, ...AT_HOME, ...(isClear ? TEN_DIGITS : [])], random);
}

const SHARE_OF_READABLE = 0.72;
type CellMaker = (number: MessyNumber, other: MessyNumber, random: Random) => Cell;
const UNREADABLE: readonly CellMaker[] = [
	(_number, _other, random) => ({ text: oneOf(EMPTY, random), reason: REASONS.empty }),
	(_number, _other, random) => ({ text: oneOf(NO_NUMBER, random), reason: REASONS.noNumber }),
	(number, other, random) => ({
		text: oneOf(TWO_NUMBERS, random)(number, other),
		reason: REASONS.twoNumbers,
	}),
	(number, _other, random) => ({
		text: anyWritingOf(number, random)(withoutOneDigit(number, random)),
		reason: REASONS.digitMissing,
	}),
	(number, _other, random) => ({
		text: anyWritingOf(number, random)(withOneMoreDigit(number, random)),
		reason: REASONS.digitTooMany,
	}),
	(number, _other, random) => ({ text: oneOf(ROUNDED, random)(number), reason: REASONS.rounded }),
];

function anyCell(number: MessyNumber, other: MessyNumber, random: Random): Cell {
	if (random() > SHARE_OF_READABLE) return oneOf(UNREADABLE, random)(number, other, random);
	const isOfHome = number.code === '7' && number.country !== '';
	if (isOfHome && random() < 0.05) return { text: WITH_ALL_DIGITS(number), number };
	if (isOfHome && /^[78]/.test(number.area) && random() < 0.1) {
		return { text: oneOf(TEN_DIGITS, random)(number), reason: REASONS.digitMissing };
	}
	return { text: anyWritingOf(number, random)(number), number };
}

const NAMES = ['Ольга', 'Ли, Ян', 'ООО "Ромашка"', "О'Коннор", 'Ёлкина; Анна', 'Zoë 🌷', ''];
/** Leading zeros, and ten digits that are no phone number. */
const TAX_NUMBERS = ['0012345678', '7707083893', '007700123456', ''];
const NOTES = [
	'',
	'перезвонить',
	'через неделю; утром, не раньше 10',
	'сказал "да"',
	'две\r\nстроки',
	'=СУММ(A1:A9)',
	'=HYPERLINK("https://example.com")',
	'+1',
	'@все',
	'12,5',
	'  пробелы  ',
	'колонка\tколонка',
	'👍 «ок» №5',
	'1E5',
	'TRUE',
];

interface Making {
	readonly seed: number;
	/** Which numbers it draws from: fewer than it has cells, so that most come more than once, in both columns. */
	readonly from?: number;
	readonly numbers?: number;
}

export function messyRows(count: number, { seed, from = 0, numbers = count }: Making): MessyRow[] {
	const random = seededRandom(seed);
	const anyNumber = () => numberAt(from + Math.floor(random() * numbers));
	return Array.from({ length: count }, (_none, row) => {
		const phones = [
			anyCell(anyNumber(), anyNumber(), random),
			anyCell(anyNumber(), anyNumber(), random),
		] as const;
		return {
			before: [String(row + 1), oneOf(NAMES, random), oneOf(TAX_NUMBERS, random)],
			phones,
			after: [`client${row}@example.com`, oneOf(NOTES, random)],
		};
	});
}

/** The same list in a program that has fewer letters. */
export const rowsIn = (letters: (text: string) => string, rows: readonly MessyRow[]): MessyRow[] =>
	rows.map(({ before, phones: [first, second], after }) => ({
		before: before.map(letters),
		phones: [
			{ ...first, text: letters(first.text) },
			{ ...second, text: letters(second.text) },
		],
		after: after.map(letters),
	}));

/** How a program writes a list. */
export interface Layout {
	readonly delimiter: string;
	readonly phoneNames: readonly [string, string];
	/** How the phone columns are told apart. */
	readonly phoneLabels: readonly [string, string];
	/** What stands above the header. */
	readonly titles: string;
}

export const CRM: Layout = {
	delimiter: ';',
	phoneNames: ['Телефон', 'Рабочий телефон'],
	phoneLabels: ['Телефон', 'Рабочий телефон'],
	titles: '',
};

/** As an accounting program exports it. Its second line is as wide as the table, and two columns have the same name. */
export const ACCOUNTING: Layout = {
	delimiter: ';',
	phoneNames: ['Телефон', 'Телефон'],
	phoneLabels: ['Телефон (1)', 'Телефон (2)'],
	titles: [
		'Отчёт по клиентам, за октябрь',
		'Период:;01.10.2026 - 31.10.2026;;;;;',
		'',
		';;;;;;',
		'',
		'',
	].join('\r\n'),
};

const headerOf = ({ phoneNames }: Layout) => [
	'№',
	'Клиент',
	'ИНН',
	...phoneNames,
	'Почта',
	'Комментарий',
];

/** As they stand in the file, without line breaks. The first is the header. */
function linesOf(rows: readonly MessyRow[], layout: Layout): string[] {
	const { delimiter } = layout;
	const written = (cell: string) =>
		/["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
	const cells = rows.map(({ before, phones, after }) => [
		...before,
		...phones.map(({ text }) => text),
		...after,
	]);
	return [headerOf(layout), ...cells].map((row) => row.map(written).join(delimiter));
}

export const messyText = (rows: readonly MessyRow[], layout: Layout) =>
	layout.titles +
	linesOf(rows, layout)
		.map((line) => `${line}\r\n`)
		.join('');

/**
 * The cells that were added to each line, of which the first is the header. Throws if anything else has changed. It is
 * read in a way of its own, so that no mistake of the node is repeated.
 */
export function addedCells(
	output: string,
	rows: readonly MessyRow[],
	layout: Layout,
	count: number,
): string[][] {
	const { delimiter, titles } = layout;
	const cell = new RegExp(`${delimiter}(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))`, 'y');
	let at = 0;
	const take = (expected: string, what: string) => {
		const found = output.slice(at, at + expected.length);
		if (found !== expected) {
			throw new Error(
				`${what} must stay ${JSON.stringify(expected)}, not ${JSON.stringify(found)}`,
			);
		}
		at += expected.length;
	};
	take(titles, 'The titles');
	const added = linesOf(rows, layout).map((line, row) => {
		take(line, row === 0 ? 'The header' : `Row ${row}`);
		const cells = Array.from({ length: count }, (_none, column) => {
			cell.lastIndex = at;
			const match = cell.exec(output);
			if (match === null) throw new Error(`Row ${row} has only ${column} of ${count} results`);
			at = cell.lastIndex;
			return match[1]?.replaceAll('""', '"') ?? match[2] ?? '';
		});
		take('\r\n', `The end of row ${row}`);
		return cells;
	});
	if (at < output.length) throw new Error(`“${output.slice(at, at + 100)}” was added at the end`);
	return added;
}

/** The different numbers that can be read. */
export const numbersOf = (cells: readonly Cell[]): Map<string, MessyNumber> =>
	new Map(cells.flatMap((cell) => ('number' in cell ? [[cell.number.e164, cell.number]] : [])));
