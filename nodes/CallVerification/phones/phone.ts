import { InputError } from '../contract/request';

/** A number in E.164 digits, as the service expects it: 7 to 15 digits, country code first. */
export type PhoneDigits = number & { readonly __brand: 'PhoneDigits' };

const [MIN_DIGITS, MAX_DIGITS] = [7, 15];
/** All numbers of these country codes have 11 digits. One more would pass for another number, and call this one. */
const NOT_11_DIGITS = /^[71](?!\d{10}$)/;
const EMPTY = 'The phone number is empty';
const ROUNDED = 'A spreadsheet has rounded the phone number: format the column as text';
export const NOT_A_NUMBER = 'Not a phone number';
const TWO_NUMBERS = 'Two numbers in one cell';
export const CELL_PROBLEMS = new Set([EMPTY, ROUNDED, NOT_A_NUMBER, TWO_NUMBERS]);
const HOW_TO_WRITE_IT =
	'Enter the number with its country code, e.g. +7 900 000-00-01. Digits, one leading plus, spaces, hyphens, dots and parentheses are accepted.';
const rejected = (message: string, advice = HOW_TO_WRITE_IT) => new InputError(message, advice);
const E164 = /^\+[1-9]\d{6,14}$/;
const PLAIN = /^\+?[\d\s\p{Dash}.()]+$/u;
export const INTERNATIONAL = /^(?:\+|00)[\s\p{Dash}.()/]*(?:\d[\s\p{Dash}.()/]*){7,15}$/u;

/** What is sent stays as typed, because the service interprets it. What no service can read would only cost money. */
export function readPhoneToCheck(value: unknown, defaultCountryCode?: string) {
	if (typeof value === 'number' && !(Number.isSafeInteger(value) && value > 0)) {
		const isTooLong = Number.isInteger(value) && value > 0;
		return { source: String(value), problem: isTooLong ? ROUNDED : NOT_A_NUMBER };
	}
	if (typeof (value ?? '') !== 'string' && typeof value !== 'number') throw rejected(NOT_A_NUMBER);
	const source = String(value ?? '');
	// Most numbers of a list need none of what follows, and it takes most of the time.
	if (E164.test(source)) return { source, text: source };
	const inner = unwrapped(source);
	if (/^[\s\p{Cc}]*$/u.test(inner)) return { source, problem: EMPTY };
	if (!/\p{N}/u.test(inner)) return { source, problem: NOT_A_NUMBER };
	const ofSpreadsheet = readSpreadsheetNumber(inner);
	if (ofSpreadsheet === 'rounded') return { source, problem: ROUNDED };
	const text = withPlus(ofSpreadsheet ?? inner);
	if (holdsTwoNumbers(text)) return { source, problem: TWO_NUMBERS };
	const national = defaultCountryCode && withCountryCode(compact(text), defaultCountryCode);
	return { source, text: national ? `+${national}` : withoutTrunkZero(text) };
}

/** No country code is added without a default, and 8 does not become 7. A leading 0 would get lost in a JSON number. */
export function readPhone(value: unknown, defaultCountryCode?: string): PhoneDigits {
	const { text = '', problem } = readPhoneToCheck(value, defaultCountryCode);
	if (problem === ROUNDED) {
		throw rejected(
			'A spreadsheet has rounded the phone number',
			'Its last digits are lost. Format the column as text in the spreadsheet to keep every digit.',
		);
	}
	if (problem === TWO_NUMBERS) {
		throw rejected('The phone number contains two numbers', 'Enter only one of them.');
	}
	if (problem !== undefined) throw rejected(problem);
	const number = compact(text);
	const digits = number.replace(/^\+/, '');
	if (/\D/.test(digits)) throw rejected(`The phone number contains ${nameOfStranger(number)}`);
	const isPossible = digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS;
	if (!isPossible || NOT_11_DIGITS.test(digits)) {
		const right = isPossible ? '11' : `${MIN_DIGITS} to ${MAX_DIGITS}`;
		throw rejected(`The phone number has ${digits.length} digits instead of ${right}`);
	}
	if (!digits.startsWith('0')) return Number(digits) as PhoneDigits;
	throw rejected(
		'The phone number starts with 0 instead of a country code',
		`${HOW_TO_WRITE_IT} If numbers lack it, add “Default Country Code” under Options.`,
	);
}

function nameOfStranger(number: string): string {
	const stranger = /[^\d+]/u.exec(number)?.[0];
	if (stranger === undefined) return 'a plus sign in the wrong place';
	if (/\p{Nd}/u.test(stranger)) return `“${stranger}” instead of a digit from 0 to 9`;
	// A combining mark would attach to the quotation mark; the blank Braille pattern counts as a symbol.
	if (/^(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]$/u.test(stranger)) return `“${stranger}”`;
	const code = stranger.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
	return `an invisible character (U+${code})`;
}

/** As text that no spreadsheet rounds. Without a plus, only the service knows which country a sent number is from. */
export function readE164(returned: unknown, sent: string): string {
	for (const number of [returned, /^\s*\+/.test(sent) ? sent : '']) {
		try {
			return `+${readPhone(number)}`;
		} catch {
			// It is missing, or not a number.
		}
	}
	return '';
}

export function readPrefixes(value: unknown): string[] {
	const entries = withoutInvisibleMarks(String(value ?? '')).match(/[^\s,;]+/g) ?? [];
	const prefixes = entries.map((entry) => entry.replace(/^\+/, ''));
	if (prefixes.every((prefix) => /^[1-9]\d{0,14}$/.test(prefix))) return prefixes;
	throw new InputError(
		'“Allowed Prefixes” contains an invalid prefix',
		'List the first digits of the allowed numbers, separated by commas, e.g. 7, 375.',
	);
}

export function assertAllowedPrefix(phone: PhoneDigits, prefixes: readonly string[]): void {
	const isAllowed = prefixes.some((prefix) => String(phone).startsWith(prefix));
	if (isAllowed || prefixes.length === 0) return;
	throw new InputError(
		'The phone number does not start with any of the allowed prefixes',
		`Allowed prefixes: ${prefixes.join(', ')}. Change “Allowed Prefixes” to allow this number.`,
	);
}

/** Whether a number that the service has masked, such as `7900***0001`, can be this one. */
export function fitsMask(masked: unknown, phone: PhoneDigits): boolean {
	const [, start = '', end = start] = /^\+?(\d+)(?:\D+(\d+))?$/.exec(String(masked)) ?? [];
	const digits = String(phone);
	return start !== '' && digits.startsWith(start) && digits.endsWith(end);
}

/** Equal for the same number. A leading 0 or 8 may be a national prefix, so the plus makes a difference there. */
export function sameNumberKey(written: string): string {
	const { text = written } = readPhoneToCheck(written);
	const number = compact(text);
	if (!/^\+?\d+$/.test(number)) return text;
	return /^\+[08]/.test(number) ? number : number.replace('+', '');
}

/** In Russia and Kazakhstan people write 8 instead of the country code. */
const EIGHT_FOR_SEVEN = /^8\d{10}$/;
export const beginsWith8 = (text = '') => EIGHT_FOR_SEVEN.test(compact(text));

/** The digits that a written number may stand for, the literal ones first. After a plus, 8 is another country. */
export function spellingsOf(written: string): string[] {
	const text = withPlus(written).trim();
	const digits = digitsOf(text);
	const isNational = EIGHT_FOR_SEVEN.test(digits) && !text.startsWith('+');
	return isNational ? [digits, `7${digits.slice(1)}`] : [digits];
}

export const isSameNumber = (one: string, other: string) =>
	spellingsOf(one).some((digits) => digits !== '' && spellingsOf(other).includes(digits));

/** Chat apps, web pages and spreadsheets put these around a number to set its direction or its line breaks. */
export const withoutInvisibleMarks = (text: string) =>
	text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
const compact = (text: string) => text.replace(/[\s\p{Dash}.()]/gu, '');
export const digitsOf = (text: string) => text.replace(/\D/g, '');
/** Without what spreadsheets and links put around a number. */
export const bare = (cell: string) => cell.trim().replace(/^(?:=?["']|tel:)\s*|"$/gi, '');

/** Spreadsheets mark text as `'7…` or `="7…"`. */
const TEXT_MARKS = /^['‘’`"=]+/;
/** From the first of them on, or a long row of them would take hours. */
const CLOSING_MARKS = /(?<!['’`"])['’`"]+$/;
const TEL = /^(?:tel|callto|тел)[.:]{1,2}([^;]*)(?:;[a-z-]+=[^\s;]*){0,5}$/i;
/** Blanks are ruled out first: to find one at the end after each of many “phone=” would take hours. */
const WHATSAPP =
	/^(?=\S*$)(?:https?:\/\/)?(?:(?:www\.)?wa\.me\/|(?:api|web)\.whatsapp\.com\/send\/?\?(?:[^\s#]*&)?phone=|whatsapp:\/\/send\/?\?(?:[^\s#]*&)?phone=)(?:\+|%2B)?([\d-]+)(?:[/?#&]\S*)?$/i;
const EXTENSION =
	/\(?(?:ext(?:ension|n)?|доб(?:авочный)?|вн(?:утренний|утр)?|[xх]|#)[.:]?\s*\d{1,6}\)?$/i;
/** With a digit less before it, “x” may stand for one that was left out. */
const FEWEST_BEFORE_EXTENSION = 10;

/** The number inside of all this; text that is no such number stays as it is. */
function unwrapped(cell: string): string {
	const text = withoutInvisibleMarks(cell).replace(/[\uff01-\uff5e]/g, (wide) =>
		wide.normalize('NFKC'),
	);
	const inner = withoutExtension(withoutLink(withoutMarks(text.trim())));
	// Outer spaces are no reason to send something else than was typed.
	if (inner === text.trim()) return text;
	const isPlain = PLAIN.test(inner) && digitsOf(inner).length >= MIN_DIGITS;
	return isPlain || readSpreadsheetNumber(inner) !== undefined ? inner : text;
}

function withoutMarks(text: string): string {
	const inner = text.replace(TEXT_MARKS, '');
	return inner === text ? text : inner.replace(CLOSING_MARKS, '').trim();
}

function withoutLink(text: string): string {
	const inChat = WHATSAPP.exec(text)?.[1];
	// Such a link always has the country code, without its plus.
	if (inChat !== undefined) return `+${inChat}`;
	const dialled = TEL.exec(text)?.[1];
	return dialled?.replace(/%2B/i, '+').replaceAll('%20', ' ').trim() ?? text;
}

function withoutExtension(text: string): string {
	const number = text.replace(EXTENSION, '').trimEnd();
	if (number !== text && digitsOf(number).length < FEWEST_BEFORE_EXTENSION) return text;
	return number.replace(/[,;]$/, '').trimEnd();
}

/** With a plus for 00, unless too few digits follow: a code or an ID may begin like that. */
const withPlus = (text: string) =>
	text.replace(/^\s*00[\s\p{Dash}.]*(?=\(?[1-9](?:\D*\d){6})/u, '+');

// Most of Europe uses a decimal comma. A leading plus comes from expressions like “+{{ … }}”.
const SCIENTIFIC = /^(\+?)(\d+)(?:[.,](\d+))?E\+?(\d{1,3})$/i;

/** Of `79000000001.0` and `7.9000000001E+10`; `rounded` if digits are lost. No phone number becomes a fraction. */
export function readSpreadsheetNumber(text: string): string | undefined {
	const trimmed = text.trim();
	const parts = SCIENTIFIC.exec(trimmed);
	if (parts === null) return /^(\+?\d+)[.,]0+$/.exec(trimmed)?.[1];
	const [, plus = '', before = '', after = '', power] = parts;
	const exponent = Number(power);
	if (after.length < exponent) return 'rounded';
	if (/[1-9]/.test(after.slice(exponent))) return undefined;
	return plus + (before + after.slice(0, exponent)).replace(/^0+(?=\d)/, '');
}

/** Never true for one number, however it is grouped, unless it has 14 digits and more and no plus. */
function holdsTwoNumbers(text: string): boolean {
	const parts = text.split(/[^\d\s\p{Dash}.()]/u);
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
const NATIONAL: Record<string, RegExp> = { 1: /^([2-9]\d{9})$/, 7: /^8?([346-9]\d{9})$/ };

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
const withoutTrunkZero = (text: string) =>
	text.replace(/^(\+(\d{1,3})\s*)\(0\)/, (whole, start: string, code: string) =>
		ZERO_STAYS.has(code) || !COUNTRY_CODE.test(code) ? whole : start,
	);
