import { InputError } from './errors';

/** A number in E.164 digits, as the service takes it: 7 to 15 digits, country code first. */
export type PhoneDigits = number & { readonly __brand: 'PhoneDigits' };

const SEPARATORS = /[\s\p{Dash}.()]/gu;
const SPREADSHEET_DECIMAL = /^\s*\+?\d+\.0+\s*$/;
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;

const ADVICE =
	'Enter the number with its country code, e.g. +7 900 000-00-01. Digits, one leading plus, spaces, hyphens, dots and parentheses are accepted.';

/**
 * Reduces what people paste to digits. Nothing is guessed: no country code is added and no leading
 * 8 becomes 7. A leading 0 is refused, because it would silently vanish in a JSON number.
 */
export function readPhone(value: unknown): PhoneDigits {
	const text = phoneText(value);
	const compact = text.replace(SEPARATORS, '');
	if (!/^\+?\d*$/.test(compact)) {
		throw new InputError(`The phone number contains ${describeStranger(compact)}`, ADVICE);
	}
	if (SPREADSHEET_DECIMAL.test(text)) {
		throw new InputError(
			'The phone number ends in “.0”, as spreadsheets write decimal numbers',
			'Format the column as text in the spreadsheet, so that the number arrives without “.0”.',
		);
	}
	const digits = compact.replace('+', '');
	if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) {
		throw new InputError(
			`The phone number has ${digits.length} digits instead of ${MIN_DIGITS} to ${MAX_DIGITS}`,
			ADVICE,
		);
	}
	if (digits.startsWith('0')) {
		throw new InputError('The phone number starts with 0, which no country code does', ADVICE);
	}
	return Number(digits) as PhoneDigits;
}

/** The text form of a number that the service itself parses; kept as it was typed. */
export function readFreePhoneText(value: unknown): string {
	return phoneText(value);
}

/**
 * Texts with the same key are the same number. A leading 0 or 8 may stand for a country's own way of
 * dialling, so there the plus sign makes a difference; what is no number must match letter by letter.
 */
export function sameNumberKey(text: string): string {
	const compact = text.replace(SEPARATORS, '');
	if (!/^\+?\d+$/.test(compact)) return text;
	return /^\+[08]/.test(compact) ? compact : compact.replace('+', '');
}

function phoneText(value: unknown): string {
	if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return String(value);
	if (typeof value === 'string' && value.trim() !== '') return value;
	if (value === undefined || value === null || typeof value === 'string') {
		throw new InputError('The phone number is empty', ADVICE);
	}
	throw new InputError('The phone number is neither text nor a whole number', ADVICE);
}

function describeStranger(compact: string): string {
	const stranger = /[^\d+]/u.exec(compact)?.[0];
	return stranger === undefined
		? 'a plus sign that is not at its start'
		: `“${stranger}”, which no number has`;
}

/** Country code 7 without 76 and 77, which belong to Kazakhstan. */
export function isRussian(phone: PhoneDigits): boolean {
	return /^7(?![67])/.test(String(phone));
}

/** Country code 7 is shared by exactly these two. */
export function isRussianOrKazakh(phone: PhoneDigits): boolean {
	return String(phone).startsWith('7');
}

/** Reads a list such as `7, 375` or `+7 +375`. */
export function readPrefixes(value: unknown): string[] {
	const entries = String(value ?? '')
		.split(/[\s,;]/)
		.filter((entry) => entry !== '')
		.map((entry) => entry.replace(/^\+/, ''));
	if (entries.some((entry) => !/^[1-9]\d{0,14}$/.test(entry))) {
		throw new InputError(
			'“Allowed Prefixes” has an entry that is not a number prefix',
			'List the first digits of the numbers that may be called, separated by commas, e.g. 7, 375.',
		);
	}
	return entries;
}

export function assertAllowedPrefix(phone: PhoneDigits, prefixes: readonly string[]): void {
	if (prefixes.length === 0) return;
	if (prefixes.some((prefix) => String(phone).startsWith(prefix))) return;
	throw new InputError(
		'The phone number does not start with any of the allowed prefixes, so it was not called',
		`Allowed are: ${prefixes.join(', ')}. Change “Allowed Prefixes” if this number should be called.`,
	);
}
