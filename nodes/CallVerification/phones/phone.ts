import { InputError } from '../contract/request';
import {
	compact,
	HOW_TO_WRITE_IT,
	MAX_DIGITS,
	MIN_DIGITS,
	readPhoneToCheck,
	ROUNDED,
	TWO_NUMBERS,
	withoutInvisibleMarks,
} from './writtenNumber';

/** A number in E.164 digits, as the service expects it: 7 to 15 digits, country code first. */
export type PhoneDigits = number & { readonly __brand: 'PhoneDigits' };

/** Country codes whose numbers all have the same length. A digit more would pass for another number, and call this one. */
const FIXED_LENGTH = /^[71]/;
const FIXED_DIGITS = 11;
// A combining mark would attach to the quotation mark; the blank Braille pattern counts as a symbol.
const SEEN_ON_ITS_OWN = /^(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]$/u;

/** What a problem of a cell is called where it stops a call. */
const CALL_PROBLEMS: Readonly<Record<string, readonly [message: string, advice: string]>> = {
	[ROUNDED]: [
		'A spreadsheet has rounded the phone number',
		'Its last digits are lost. Format the column as text in the spreadsheet to keep every digit.',
	],
	[TWO_NUMBERS]: ['The phone number contains two numbers', 'Enter only one of them.'],
};

/**
 * Reduces pasted text to digits without guessing: unless a default country code is given, none is added, and a leading
 * 8 does not become 7. A leading 0 is rejected, because a JSON number would lose it.
 */
export function readPhone(value: unknown, defaultCountryCode?: string): PhoneDigits {
	const { text, problem } = readPhoneToCheck(value, defaultCountryCode);
	if (problem !== undefined) {
		const [message, advice] = CALL_PROBLEMS[problem] ?? [problem, HOW_TO_WRITE_IT];
		throw new InputError(message, advice);
	}
	const number = compact(text);
	const digits = number.replace(/^\+/, '');
	const { length } = digits;
	const reject = (message: string, advice = HOW_TO_WRITE_IT): never => {
		throw new InputError(message, advice);
	};
	if (/\D/.test(digits)) reject(`The phone number contains ${nameOfStranger(number)}`);
	if (length < MIN_DIGITS || length > MAX_DIGITS) {
		reject(`The phone number has ${length} digits instead of ${MIN_DIGITS} to ${MAX_DIGITS}`);
	}
	if (FIXED_LENGTH.test(digits) && length !== FIXED_DIGITS) {
		reject(`The phone number has ${length} digits instead of ${FIXED_DIGITS}`);
	}
	if (digits.startsWith('0')) {
		reject(
			'The phone number starts with 0 instead of a country code',
			`${HOW_TO_WRITE_IT} If numbers lack it, add “Default Country Code” under Options.`,
		);
	}
	return Number(digits) as PhoneDigits;
}

function nameOfStranger(number: string): string {
	const stranger = /[^\d+]/u.exec(number)?.[0];
	if (stranger === undefined) return 'a plus sign in the wrong place';
	if (/\p{Nd}/u.test(stranger)) return `“${stranger}” instead of a digit from 0 to 9`;
	if (SEEN_ON_ITS_OWN.test(stranger)) return `“${stranger}”`;
	const codePoint = stranger.codePointAt(0) ?? 0;
	return `an invisible character (U+${codePoint.toString(16).toUpperCase().padStart(4, '0')})`;
}

/** Reads a list such as `7, 375` or `+7 +375`. */
export function readPrefixes(value: unknown): string[] {
	const prefixes = withoutInvisibleMarks(String(value ?? ''))
		.split(/[\s,;]/)
		.filter((entry) => entry !== '')
		.map((entry) => entry.replace(/^\+/, ''));
	if (prefixes.every((prefix) => /^[1-9]\d{0,14}$/.test(prefix))) return prefixes;
	throw new InputError(
		'“Allowed Prefixes” contains an invalid prefix',
		'List the first digits of the allowed numbers, separated by commas, e.g. 7, 375.',
	);
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
