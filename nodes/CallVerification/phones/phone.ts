import { InputError } from '../contract/request';
import {
	doubtAboutZeros,
	EIGHT_FOR_SEVEN,
	interpret,
	lengthDoubt,
	LOCAL_MOBILE,
	rightLength,
	withoutTrunkZero,
} from './countryCode';
import {
	compact,
	digitsOf,
	holdsTwoNumbers,
	isFraction,
	MAX_DIGITS,
	MIN_DIGITS,
	numberAmongWords,
	readSpreadsheetNumber,
	unwrapped,
	withoutInvisibleMarks,
	withPlus,
} from './writing';

/** A number in E.164 digits, as the service expects it: 7 to 15 digits, country code first. */
export type PhoneDigits = number & { readonly __brand: 'PhoneDigits' };

/** Why a cell has no result, as it stands in the column `reason`. Nothing is sent for it, so nothing says that it is invalid. */
const UNREADABLE = {
	empty: 'empty',
	noNumber: 'unreadable: no number',
	twoNumbers: 'unreadable: two numbers',
	rounded: 'unreadable: rounded by a spreadsheet (format the column as text)',
	digitMissing: 'unreadable: a digit is missing',
	digitTooMany: 'unreadable: a digit too many',
	countryCodeMissing: 'unreadable: the country code is missing',
} as const;
type Doubt = keyof typeof UNREADABLE;
export const isUnreadable = (reason: string) => /^(?:empty$|unreadable: )/.test(reason);

const NOT_A_NUMBER = 'Not a phone number';
const HOW_TO_WRITE_IT =
	'Enter the number with its country code, e.g. +7 900 000-00-01. Digits, one leading plus, spaces, hyphens, dots and parentheses are accepted.';
const OR_ADD_CODE = `${HOW_TO_WRITE_IT} If numbers lack it, add “Default Country Code” under Options.`;
const rejected = (message: string, advice = HOW_TO_WRITE_IT) => new InputError(message, advice);
/** Far above any number with its notes. Longer ones take time, and no service reads them. */
const MOST_CHARACTERS = 1_000;
/** With its country code, and of the right length if that is known. */
const E164 = /^\+(?:[17]\d{10}|(?:375|380|99[68])\d{9}|(?!375|380|99[68])[2-689]\d{6,14})$/;

/** `digits` are those of a number that is in doubt; `other` is text that is more than a number. */
type Reading =
	| { readonly text: string }
	| { readonly doubt: Doubt; readonly digits?: string }
	| { readonly other: string };

/**
 * For lists, whose cells may have words beside the number. What is sent stays as typed, because the service interprets
 * it. But nothing is sent that may be a number with a digit missing, or one too many: the result would be a stranger's.
 */
export function readPhoneToCheck(value: unknown, defaultCountryCode?: string) {
	const source = sourceOf(value);
	// Most numbers of a list need none of what follows, and it takes most of the time.
	if (E164.test(source)) return { source, text: source };
	const whole = read(value, source, defaultCountryCode);
	const reading = 'other' in whole ? readAmongWords(whole.other, defaultCountryCode) : whole;
	if ('doubt' in reading) return { source, problem: UNREADABLE[reading.doubt] };
	return { source, text: reading.text };
}

/** Without a default, no country code is added. A leading 0 would get lost in a JSON number. */
export function readPhone(value: unknown, defaultCountryCode?: string): PhoneDigits {
	const reading = read(value, sourceOf(value), defaultCountryCode);
	if ('doubt' in reading) throw rejection(reading.doubt, reading.digits);
	if ('other' in reading) {
		throw rejected(`The phone number contains ${nameOfStranger(compact(reading.other))}`);
	}
	const number = compact(reading.text);
	// A check says what the service has read; a call would just go to somebody, such as +84 … instead of 8 4….
	if (LOCAL_MOBILE.test(number) || EIGHT_FOR_SEVEN.test(number)) {
		throw rejection('countryCodeMissing', number);
	}
	return Number(digitsOf(number)) as PhoneDigits;
}

function sourceOf(value: unknown): string {
	if (typeof (value ?? '') === 'string' || typeof value === 'number') return String(value ?? '');
	throw rejected(NOT_A_NUMBER);
}

function read(value: unknown, source: string, code: string | undefined): Reading {
	if (typeof value === 'number' && !(Number.isSafeInteger(value) && value > 0)) {
		return { doubt: Number.isInteger(value) && value > 0 ? 'rounded' : 'noNumber' };
	}
	const inner = unwrapped(source);
	if (/^[\s\p{Cc}]*$/u.test(inner)) return { doubt: 'empty' };
	if (inner.length > MOST_CHARACTERS || !/\p{N}/u.test(inner)) return { doubt: 'noNumber' };
	const ofSpreadsheet = readSpreadsheetNumber(inner);
	if (ofSpreadsheet === 'rounded') return { doubt: 'rounded' };
	const text = ofSpreadsheet ?? inner;
	if (holdsTwoNumbers(withPlus(text))) return { doubt: 'twoNumbers' };
	if (isFraction(text)) return { doubt: 'noNumber' };
	return /^\+?\d+$/.test(compact(text)) ? readNumber(text, code) : { other: text };
}

function readAmongWords(
	text: string,
	code: string | undefined,
): Exclude<Reading, { other: string }> {
	const found = numberAmongWords(text);
	if ('doubt' in found) return found;
	const reading = readNumber(found.number, code);
	// Among words, digits may be anything.
	return 'text' in reading && !reading.isCertain ? { doubt: 'noNumber' } : reading;
}

function readNumber(written: string, code: string | undefined) {
	const text = withoutTrunkZero(withPlus(written));
	const digits = digitsOf(text);
	if (digits.length < MIN_DIGITS) return { doubt: 'digitMissing', digits } as const;
	if (digits.length > MAX_DIGITS) return { doubt: 'digitTooMany', digits } as const;
	if (!text.includes('+')) {
		const meaning = interpret(text, code);
		if ('doubt' in meaning) return { doubt: meaning.doubt, digits };
		const { isCompleted, isCertain } = meaning;
		return { text: isCompleted ? `+${meaning.digits}` : text, isCertain };
	}
	if (digits.startsWith('0')) return { doubt: 'countryCodeMissing', digits } as const;
	const doubt = lengthDoubt(digits) ?? doubtAboutZeros(digitsOf(written), code);
	return doubt === undefined ? { text, isCertain: true } : { doubt, digits };
}

function rejection(doubt: Doubt, digits = ''): InputError {
	if (doubt === 'rounded') {
		return rejected(
			'A spreadsheet has rounded the phone number',
			'Its last digits are lost. Format the column as text in the spreadsheet to keep every digit.',
		);
	}
	if (doubt === 'twoNumbers') {
		return rejected('The phone number contains two numbers', 'Enter only one of them.');
	}
	if (doubt === 'empty') return rejected('The phone number is empty');
	if (doubt === 'noNumber') return rejected(NOT_A_NUMBER);
	if (doubt === 'countryCodeMissing') {
		const message = digits.startsWith('0')
			? 'The phone number starts with 0 instead of a country code'
			: 'The phone number may lack its country code';
		return rejected(message, OR_ADD_CODE);
	}
	const isPossible = digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS;
	const right = isPossible ? rightLength(digits) : `${MIN_DIGITS} to ${MAX_DIGITS}`;
	if (right !== undefined && right !== digits.length) {
		return rejected(`The phone number has ${digits.length} digits instead of ${right}`);
	}
	return rejected(
		doubt === 'digitMissing'
			? 'A digit of the phone number is missing'
			: 'The phone number has a digit too many',
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
	for (const number of [String(returned).replace(/^\+?/, '+'), /^\s*\+/.test(sent) ? sent : '']) {
		try {
			return `+${readPhone(number)}`;
		} catch {
			// It is missing, or not a number.
		}
	}
	return '';
}

/** Of a number that was sent. Without a plus, it gets one only if its country code is certain. */
export function asSent(text: string): string {
	const number = compact(text);
	return rightLength(number) === number.length ? `+${number}` : number;
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
