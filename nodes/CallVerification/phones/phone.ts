import { withCountryCode, withoutTrunkZero } from './countryCode';
import { InputError } from '../contract/request';
import { nameOfCharacter, withoutInvisibleMarks } from './invisibleMarks';
import { readSpreadsheetNumber } from './spreadsheetNumber';
import {
	holdsTwoNumbers,
	MAX_DIGITS,
	MIN_DIGITS,
	SEPARATORS,
	unwrapped,
	withPlus,
} from './writtenNumber';

/** A number in E.164 digits, as the service expects it: 7 to 15 digits, country code first. */
export type PhoneDigits = number & { readonly __brand: 'PhoneDigits' };

const NOTHING_TO_SEE = /^[\s\p{Cc}]*$/u;
/** Country codes whose numbers all have the same length. A digit more would pass for another number, and call this one. */
const FIXED_LENGTH = /^[71]/;
const FIXED_DIGITS = 11;

const ADVICE =
	'Enter the number with its country code, e.g. +7 900 000-00-01. Digits, one leading plus, spaces, hyphens, dots and parentheses are accepted.';
const EMPTY = 'The phone number is empty';
const ROUNDED = 'A spreadsheet has rounded the phone number';
const ROUNDED_CELL = `${ROUNDED}: format the column as text`;
export const NOT_A_NUMBER = 'Not a phone number';
const TWO_NUMBERS = 'Two numbers in one cell';
/** Why a cell is not sent. */
export const CELL_PROBLEMS: ReadonlySet<string> = new Set([
	EMPTY,
	ROUNDED_CELL,
	NOT_A_NUMBER,
	TWO_NUMBERS,
]);

/** What a problem of a cell is called where it stops a call. */
const REFUSALS: Readonly<Record<string, readonly [message: string, advice: string]>> = {
	[ROUNDED_CELL]: [
		ROUNDED,
		'Its last digits are lost. Format the column as text in the spreadsheet to keep every digit.',
	],
	[NOT_A_NUMBER]: ['The phone number is neither text nor a whole number', ADVICE],
	[TWO_NUMBERS]: ['The phone number contains two numbers', 'Enter only one of them.'],
};

/**
 * Reduces pasted text to digits without guessing: unless a default country code is given, none is added, and a leading
 * 8 does not become 7. A leading 0 is refused, because a JSON number would lose it.
 */
export function readPhone(value: unknown, defaultCountryCode?: string): PhoneDigits {
	const { text, problem } = readPhoneToCheck(value, defaultCountryCode);
	if (problem !== undefined) {
		const [message, advice] = REFUSALS[problem] ?? [problem, ADVICE];
		throw new InputError(message, advice);
	}
	const compact = text.replace(SEPARATORS, '');
	if (!/^\+?\d*$/.test(compact)) {
		throw new InputError(`The phone number contains ${describeStranger(compact)}`, ADVICE);
	}
	const digits = compact.replace('+', '');
	if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) {
		throw new InputError(
			`The phone number has ${digits.length} digits instead of ${MIN_DIGITS} to ${MAX_DIGITS}`,
			ADVICE,
		);
	}
	if (digits.startsWith('0')) {
		throw new InputError(
			'The phone number starts with 0, but no country code does',
			`${ADVICE} If numbers lack it, add “Default Country Code” under Options.`,
		);
	}
	const [countryCode] = FIXED_LENGTH.exec(digits) ?? [];
	if (countryCode !== undefined && digits.length !== FIXED_DIGITS) {
		throw new InputError(
			`The phone number has ${digits.length} digits, but those of country code ${countryCode} have ${FIXED_DIGITS}`,
			ADVICE,
		);
	}
	return Number(digits) as PhoneDigits;
}

/** A number to check: the text to send, or why it can only be invalid. */
export type PhoneToCheck =
	| { readonly source: string; readonly text: string; readonly problem?: undefined }
	| { readonly source: string; readonly text?: undefined; readonly problem: string };

/**
 * The service interprets the text of a check, so it stays as typed, but for what programs write around a number and for
 * a missing country code. Text that no service can read, such as an empty cell or a number without its last digits, is
 * not sent, because a check costs money.
 */
export function readPhoneToCheck(value: unknown, defaultCountryCode?: string): PhoneToCheck {
	if (typeof value === 'number' && !isDigits(value)) {
		const isTooLong = Number.isInteger(value) && value > 0;
		return { source: String(value), problem: isTooLong ? ROUNDED_CELL : NOT_A_NUMBER };
	}
	const source = textOf(value);
	const inner = unwrapped(source);
	if (NOTHING_TO_SEE.test(inner)) return { source, problem: EMPTY };
	const changed = readSpreadsheetNumber(inner);
	if (changed?.isRounded) return { source, problem: ROUNDED_CELL };
	const text = withPlus(changed?.digits ?? inner);
	if (holdsTwoNumbers(text)) return { source, problem: TWO_NUMBERS };
	return { source, text: completed(text, defaultCountryCode) };
}

function completed(text: string, countryCode: string | undefined): string {
	const local = countryCode && withCountryCode(text.replace(SEPARATORS, ''), countryCode);
	return local ? `+${local}` : withoutTrunkZero(text);
}

/**
 * Whether a number may lack its country code: in Russia and Kazakhstan people write 8 instead of 7.
 *
 * @param text Of a PhoneToCheck.
 */
export function beginsWith8(text = ''): boolean {
	return /^8\d{10}$/.test(text.replace(SEPARATORS, ''));
}

/**
 * Texts with the same key are the same number. A leading 0 or 8 may be a national prefix, so the plus sign makes a
 * difference there. Texts that are not numbers must be identical.
 */
export function sameNumberKey(written: string): string {
	const { text = written } = readPhoneToCheck(written);
	const compact = text.replace(SEPARATORS, '');
	if (!/^\+?\d+$/.test(compact)) return text;
	return /^\+[08]/.test(compact) ? compact : compact.replace('+', '');
}

function textOf(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' && isDigits(value)) return String(value);
	throw new InputError('The phone number is neither text nor a whole number', ADVICE);
}

function isDigits(value: number): boolean {
	return Number.isSafeInteger(value) && value > 0;
}

function describeStranger(compact: string): string {
	const stranger = /[^\d+]/u.exec(compact)?.[0];
	if (stranger === undefined) return 'a plus sign that is not at its start';
	const name = nameOfCharacter(stranger);
	return /\p{Nd}/u.test(stranger)
		? `${name}, which is not one of the digits 0 to 9`
		: `${name}, which is not allowed in a phone number`;
}

/** Reads a list such as `7, 375` or `+7 +375`. */
export function readPrefixes(value: unknown): string[] {
	const entries = withoutInvisibleMarks(String(value ?? ''))
		.split(/[\s,;]/)
		.filter((entry) => entry !== '')
		.map((entry) => entry.replace(/^\+/, ''));
	if (entries.some((entry) => !/^[1-9]\d{0,14}$/.test(entry))) {
		throw new InputError(
			'“Allowed Prefixes” contains an invalid prefix',
			'List the first digits of the allowed numbers, separated by commas, e.g. 7, 375.',
		);
	}
	return entries;
}

export function assertAllowedPrefix(phone: PhoneDigits, prefixes: readonly string[]): void {
	if (prefixes.length === 0) return;
	if (prefixes.some((prefix) => String(phone).startsWith(prefix))) return;
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

/**
 * A valid number as text that no spreadsheet rounds. Empty if the service does not return it, unless it was sent with a
 * plus: without one, only the service knows which country a number is from.
 *
 * @param digits The number as the service returns it.
 * @param sent The text that it was read from.
 */
export function readE164(digits: unknown, sent: string): string {
	for (const number of [digits, /^\s*\+/.test(sent) ? sent : '']) {
		try {
			return `+${readPhone(number)}`;
		} catch {
			// It is missing, or not a number.
		}
	}
	return '';
}
