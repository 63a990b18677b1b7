import { InputError } from '../contract/request';

export const MIN_DIGITS = 7;
export const MAX_DIGITS = 15;

const EMPTY = 'The phone number is empty';
export const ROUNDED = 'A spreadsheet has rounded the phone number: format the column as text';
export const NOT_A_NUMBER = 'Not a phone number';
export const TWO_NUMBERS = 'Two numbers in one cell';
/** Why a cell is not sent. */
export const CELL_PROBLEMS = new Set([EMPTY, ROUNDED, NOT_A_NUMBER, TWO_NUMBERS]);
export const HOW_TO_WRITE_IT =
	'Enter the number with its country code, e.g. +7 900 000-00-01. Digits, one leading plus, spaces, hyphens, dots and parentheses are accepted.';

const SEPARATORS = /[\s\p{Dash}.()]/gu;
const PLAIN = /^\+?[\d\s\p{Dash}.()]+$/u;
/** What cannot be inside a number. */
const BETWEEN_NUMBERS = /[^\d\s\p{Dash}.()]/u;
const NOTHING_TO_SEE = /^[\s\p{Cc}]*$/u;
const DIGIT_OF_ANY_SCRIPT = /\p{N}/u;
/** Chat apps, web pages and spreadsheets put these around a number to set its direction or its line breaks. */
const INVISIBLE_MARKS = /\p{Default_Ignorable_Code_Point}/gu;
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** A number to check: the text to send, or why it can only be invalid. */
export type PhoneToCheck =
	| { readonly source: string; readonly text: string; readonly problem?: undefined }
	| { readonly source: string; readonly text?: undefined; readonly problem: string };

/**
 * The service interprets the text of a check, so it stays as typed, but for what programs write around a number and for
 * a missing country code. Text that no service can read is not sent, because a check costs money.
 */
export function readPhoneToCheck(value: unknown, defaultCountryCode?: string): PhoneToCheck {
	if (typeof value === 'number' && !(Number.isSafeInteger(value) && value > 0)) {
		const isTooLong = Number.isInteger(value) && value > 0;
		return { source: String(value), problem: isTooLong ? ROUNDED : NOT_A_NUMBER };
	}
	const source = textOf(value);
	const inner = unwrapped(source);
	if (NOTHING_TO_SEE.test(inner)) return { source, problem: EMPTY };
	if (!DIGIT_OF_ANY_SCRIPT.test(inner)) return { source, problem: NOT_A_NUMBER };
	const ofSpreadsheet = readSpreadsheetNumber(inner);
	if (ofSpreadsheet === 'rounded') return { source, problem: ROUNDED };
	const text = withPlus(ofSpreadsheet ?? inner);
	if (holdsTwoNumbers(text)) return { source, problem: TWO_NUMBERS };
	const national = defaultCountryCode && withCountryCode(compact(text), defaultCountryCode);
	return { source, text: national ? `+${national}` : withoutTrunkZero(text) };
}

/**
 * Texts with the same key are the same number. A leading 0 or 8 may be a national prefix, so the plus sign makes a
 * difference there. Texts that are not numbers must be identical.
 */
export function sameNumberKey(written: string): string {
	const { text = written } = readPhoneToCheck(written);
	const number = compact(text);
	if (!/^\+?\d+$/.test(number)) return text;
	return /^\+[08]/.test(number) ? number : number.replace('+', '');
}

/** Whether a number to check may lack its country code: in Russia and Kazakhstan people write 8 instead of 7. */
export function beginsWith8(text = ''): boolean {
	return /^8\d{10}$/.test(compact(text));
}

/**
 * The digits that a written number may stand for, the literal ones first. Russians write 8 for their country code 7,
 * but never after a plus: +8… is another country.
 */
export function spellingsOf(written: string): string[] {
	const text = withPlus(written).trim();
	const digits = digitsOf(text);
	const isNational = /^8\d{10}$/.test(digits) && !text.startsWith('+');
	return isNational ? [digits, `7${digits.slice(1)}`] : [digits];
}

export function isSameNumber(one: string, other: string): boolean {
	const others = spellingsOf(other);
	return spellingsOf(one).some((digits) => digits !== '' && others.includes(digits));
}

export function withoutInvisibleMarks(text: string): string {
	return text.replace(INVISIBLE_MARKS, '');
}

/** Without what people put between digits. */
export function compact(text: string): string {
	return text.replace(SEPARATORS, '');
}

export function digitsOf(text: string): string {
	return text.replace(/\D/g, '');
}

function textOf(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string' || typeof value === 'number') return String(value);
	throw new InputError(NOT_A_NUMBER, HOW_TO_WRITE_IT);
}

/** Spreadsheets mark text as `'7…` or `="7…"`. */
const TEXT_MARKS = /^['‘’`"=]+/;
const CLOSING_MARKS = '\'’`"';
const TEL = /^(?:tel|callto|тел)[.:]{1,2}([^;]*)(?:;[a-z-]+=[^\s;]*){0,5}$/i;
/** Blanks are ruled out first: to find one at the end after each of many “phone=” would take hours. */
const WHATSAPP =
	/^(?=\S*$)(?:https?:\/\/)?(?:(?:www\.)?wa\.me\/|(?:api|web)\.whatsapp\.com\/send\/?\?(?:[^\s#]*&)?phone=|whatsapp:\/\/send\/?\?(?:[^\s#]*&)?phone=)(?:\+|%2B)?([\d-]+)(?:[/?#&]\S*)?$/i;
const EXTENSION =
	/\(?(?:ext(?:ension|n)?|доб(?:авочный)?|вн(?:утренний|утр)?|[xх]|#)[.:]?\s*\d{1,6}\)?$/i;
/** With a digit less before it, “x” may stand for one that was left out. */
const FEWEST_BEFORE_EXTENSION = 10;

/** The number in a cell without what people and programs write around it; any other text as it is. */
function unwrapped(cell: string): string {
	const text = withoutInvisibleMarks(cell).replace(FULL_WIDTH, (character) =>
		String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET),
	);
	const inner = withoutExtension(withoutLink(withoutMarks(text.trim())));
	const isNumber =
		(PLAIN.test(inner) && digitsOf(inner).length >= MIN_DIGITS) ||
		readSpreadsheetNumber(inner) !== undefined;
	// Outer spaces are no reason to send something else than was typed.
	return isNumber && inner !== text.trim() ? inner : text;
}

function withoutMarks(text: string): string {
	const inner = text.replace(TEXT_MARKS, '');
	if (inner === text) return text;
	let end = inner.length;
	while (end > 0 && CLOSING_MARKS.includes(inner.charAt(end - 1))) end -= 1;
	return inner.slice(0, end).trim();
}

function withoutLink(text: string): string {
	const inChat = WHATSAPP.exec(text)?.[1];
	// Such a link always has the country code, without its plus.
	if (inChat !== undefined) return `+${inChat}`;
	const dialled = TEL.exec(text)?.[1];
	return dialled?.replace(/%2B/i, '+').replaceAll('%20', ' ').trim() ?? text;
}

function withoutExtension(text: string): string {
	const start = text.search(EXTENSION);
	const number = start < 0 ? text : text.slice(0, start).trimEnd();
	if (start >= 0 && digitsOf(number).length < FEWEST_BEFORE_EXTENSION) return text;
	return number.replace(/[,;]$/, '').trimEnd();
}

/** With a plus for 00, unless too few digits follow: a code or an ID may begin like that. */
function withPlus(text: string): string {
	return text.replace(/^\s*00[\s\p{Dash}.]*(?=\(?[1-9](?:\D*\d){6})/u, '+');
}

// Most of Europe uses a decimal comma. A leading plus comes from expressions like “+{{ … }}”.
const DECIMAL = /^(\+?\d+)[.,]0+$/;
const SCIENTIFIC = /^(\+?)(\d+)(?:[.,](\d+))?E\+?(\d{1,3})$/i;

/**
 * Reads `79000000001.0` and `7.9000000001E+10`, with the plus sign if there is one; `rounded` if digits are lost.
 * Undefined for anything else, including fractions, which spreadsheets do not make of a phone number.
 */
export function readSpreadsheetNumber(text: string): string | undefined {
	const trimmed = text.trim();
	const parts = SCIENTIFIC.exec(trimmed);
	if (parts === null) return DECIMAL.exec(trimmed)?.[1];
	const [, plus = '', before = '', after = '', power] = parts;
	const exponent = Number(power);
	if (after.length < exponent) return 'rounded';
	if (/[1-9]/.test(after.slice(exponent))) return undefined;
	const digits = `${before}${after.slice(0, exponent)}`.replace(/^0+(?=\d)/, '');
	return `${plus}${digits}`;
}

/** Never true for one number, however it is grouped, unless it has 14 digits and more and no plus. */
function holdsTwoNumbers(text: string): boolean {
	const parts = text.split(BETWEEN_NUMBERS);
	if (parts.filter((part) => digitsOf(part).length >= MIN_DIGITS).length > 1) return true;
	const all = digitsOf(text).length;
	if (!PLAIN.test(text.trim()) || (text.includes('+') && all <= MAX_DIGITS)) return false;
	// With nothing but a space or a line break in between.
	let before = 0;
	return text.split(/\s+/).some((word) => {
		before += digitsOf(word).length;
		return before >= MIN_DIGITS && all - before >= MIN_DIGITS;
	});
}

const COUNTRY_CODE =
	/^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\d)$/;
/** Where a national number keeps its 0 abroad, or has more than a 0 in front. */
const ZERO_STAYS = new Set(['36', '39', '225', '229', '242', '378']);
/** No area code begins with the digits that are left out here, so that numbers of some other countries do not fit. */
const NATIONAL: Readonly<Record<string, RegExp>> = {
	1: /^([2-9]\d{9})$/,
	7: /^8?([346-9]\d{9})$/,
};

/** Reads a country calling code such as `7`, `+44` or the number 375. */
export function readCountryCode(value: unknown): string {
	const code = withoutInvisibleMarks(String(value)).trim().replace(/^\+/, '');
	if (COUNTRY_CODE.test(code)) return code;
	throw new InputError(
		'“Default Country Code” is not a country code',
		'Enter its digits, e.g. 7 for Russia and Kazakhstan or 44 for the United Kingdom.',
	);
}

/** Undefined for all but surely national numbers, because one without a plus may still have a country code. */
function withCountryCode(digits: string, code: string): string | undefined {
	const pattern = NATIONAL[code] ?? (ZERO_STAYS.has(code) ? undefined : /^0([1-9]\d{5,13})$/);
	const national = pattern?.exec(digits)?.[1];
	return national === undefined ? undefined : `${code}${national}`;
}

/** Without the 0 that is dialled only inside the country, as in “+44 (0)20 …”. */
function withoutTrunkZero(text: string): string {
	return text.replace(/^(\+(\d{1,3})\s*)\(0\)/, (whole, start: string, code: string) =>
		ZERO_STAYS.has(code) || !COUNTRY_CODE.test(code) ? whole : start,
	);
}
