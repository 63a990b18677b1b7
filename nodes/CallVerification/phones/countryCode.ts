import { InputError } from '../contract/request';
import { digitsOf, withoutInvisibleMarks } from './writing';

const COUNTRY_CODE =
	/^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\d)$/;
/** Where a national number keeps its 0 abroad, or has more than a 0 in front. */
const ZERO_STAYS = new Set(['36', '39', '225', '229', '242', '378']);
const AFTER_ZERO = /^0([1-9]\d{5,13})$/;
/** A shorter number that begins like a country code may be a local one. */
const FEWEST_WITH_CODE = 10;

interface NumberingPlan {
	/** How the number is written in its country. The group is what follows the country code abroad. */
	readonly local: RegExp;
	/** All of that, with and without the country code. A number that differs in one digit may be one of them. */
	readonly any: RegExp;
	/** Digits without the country code. */
	readonly length: number;
}

/**
 * Of countries in which all numbers have the same length, except free ones that cannot be called from abroad: only
 * there can a missing digit be noticed. No area code begins with the digits that are left out here, so that numbers of
 * some other countries do not fit. Lengths and first digits are those of libphonenumber's landlines and mobile phones.
 */
const PLANS: Readonly<Record<string, NumberingPlan>> = {
	1: { local: /^([2-9]\d{9})$/, any: /^1?[2-9]\d{9}$/, length: 10 },
	// Ten digits that begin with 7 or 8 may also be eleven, of which one is missing.
	7: { local: /^(?:8(?=[346-9])|(?=[3469]))(\d{10})$/, any: /^[78]?[346-9]\d{9}$/, length: 10 },
	// People write 8 0 before the area code, and some 0 alone.
	375: { local: /^8?0([1-4]\d{8})$/, any: /^(?:375|8?0)[1-4]\d{8}$/, length: 9 },
	// The 8 before the 0 was abolished on 14 October 2009, by order 1200 of Ukraine's Ministry of Transport.
	380: { local: /^0([3-9]\d{8})$/, any: /^(?:380|0)[3-9]\d{8}$/, length: 9 },
	996: { local: /^0([2-9]\d{8})$/, any: /^(?:996|0)[2-9]\d{8}$/, length: 9 },
	// Nothing is dialled before the area code any more; in earlier years, that was 8.
	998: { local: /^([2-9]\d{8})$/, any: /^(?:998)?[2-9]\d{8}$/, length: 9 },
};
const PLANNED_CODE = /^(?:1|7|375|380|996|998)/;
/** What most lists consist of, whatever the default is, and Belarusian numbers as they are dialled there. */
const USUAL = /^(?:[78][346-9]\d{9}|80[1-4]\d{8})$/;
/** In Russia and Kazakhstan people write 8 instead of the country code, … */
export const EIGHT_FOR_SEVEN = /^8\d{10}$/;
/** … and in Russia many write nothing at all before a mobile number. */
export const LOCAL_MOBILE = /^9\d{9}$/;
/** An area code in parentheses, with nothing in front of it: “(812) 000-00-01” or “(8442) 00-00-01”. */
const AREA_CODE = /^\s*\(\s*(\d{3,})\s*\)/;
const LONGEST_AREA_CODE = 5;
/** No country code is 8, and none that begins with 7 has more digits: ten must follow either. */
const PREFIX_APART = /^\D*[78]\D+\d/;
const LENGTH_WITH_PREFIX = 11;
/** What is dialled before a national number. No country code begins like that. */
const TRUNK_ZERO = /^8?0/;

export type Doubt = 'digitMissing' | 'digitTooMany' | 'countryCodeMissing';

/** A number without a plus: with its country code, or as written if it has one; `isCertain` unless that is assumed. */
type Interpretation =
	| { readonly doubt: Doubt }
	| { readonly digits: string; readonly isCompleted: boolean; readonly isCertain: boolean };

export function readCountryCode(value: unknown): string {
	const code = withoutInvisibleMarks(String(value)).trim().replace(/^\+/, '');
	if (COUNTRY_CODE.test(code)) return code;
	throw new InputError(
		'“Default Country Code” is not a country code',
		'Enter its digits, e.g. 7 for Russia and Kazakhstan or 44 for the United Kingdom.',
	);
}

/** How many digits a number has, by its country code. Undefined if that is not certain. */
export function rightLength(digits: string): number | undefined {
	const [code = ''] = PLANNED_CODE.exec(digits) ?? [];
	const plan = PLANS[code];
	return plan && code.length + plan.length;
}

const isOfKnownLength = (digits: string) => rightLength(digits) !== undefined;

export function lengthDoubt(digits: string): Doubt | undefined {
	const right = rightLength(digits) ?? digits.length;
	if (digits.length === right) return undefined;
	return digits.length < right ? 'digitMissing' : 'digitTooMany';
}

/** Never guesses: what may be another number, with a digit missing or one too many, is a doubt. */
export function interpret(written: string, code = ''): Interpretation {
	const digits = digitsOf(written);
	const area = areaCodeOf(written, digits);
	if (area !== undefined && code === '7') return withAreaCode(area, digits);
	const isPrefixApart = PREFIX_APART.test(written);
	const completed = isPrefixApart ? withoutPrefix(digits, code) : withCountryCode(digits, code);
	if (completed !== undefined) return { digits: completed, isCompleted: true, isCertain: true };
	const doubt =
		lengthDoubt(digits) ??
		doubtAbout(digits, code) ??
		(isPrefixApart ? doubtBehindPrefix(digits) : undefined);
	if (doubt !== undefined) return { doubt };
	const isCertain = isOfKnownLength(digits) || mayBeNational(digits, code);
	const isLocal = area !== undefined && !COUNTRY_CODE.test(area);
	if (isLocal && !isCertain) return { doubt: 'countryCodeMissing' };
	return { digits, isCompleted: false, isCertain };
}

/** Undefined if the whole number is in parentheses. */
function areaCodeOf(written: string, digits: string): string | undefined {
	const area = AREA_CODE.exec(written)?.[1];
	return area === digits ? undefined : area;
}

/** “00” is no plus if it may be the 0 before a local number, and a digit is missing behind it or one too many. */
export function doubtAboutZeros(digits: string, code = ''): Doubt | undefined {
	const plan = PLANS[code];
	return plan !== undefined && digits.startsWith('00') ? oneDigitOff(digits, plan.any) : undefined;
}

/** Undefined for all but surely national numbers, because one without a plus may still have a country code. */
function withCountryCode(digits: string, code: string): string | undefined {
	const pattern = PLANS[code]?.local ?? (ZERO_STAYS.has(code) ? undefined : AFTER_ZERO);
	const national = code === '' ? undefined : pattern?.exec(digits)?.[1];
	if (national !== undefined) return code + national;
	// With 1 and 7, that is seen from the digits alone.
	const hasCode = code.length > 1 && digits.startsWith(code) && digits.length >= FEWEST_WITH_CODE;
	return hasCode && lengthDoubt(digits) === undefined ? digits : undefined;
}

/** As “8 029 …” for Belarus. With fewer digits, a 7 or 8 that stands apart is no part of an area code of the USA either. */
function withoutPrefix(digits: string, code: string): string | undefined {
	if (digits.length !== LENGTH_WITH_PREFIX) return undefined;
	const national = PLANS[code]?.local.exec(digits)?.[1];
	return national && code + national;
}

function doubtBehindPrefix(digits: string): Doubt | undefined {
	if (digits.length === LENGTH_WITH_PREFIX) return undefined;
	return digits.length < LENGTH_WITH_PREFIX ? 'digitMissing' : 'digitTooMany';
}

/** In Russia, where area codes have 3 to 5 digits, and ten digits in all follow the country code. */
function withAreaCode(area: string, digits: string): Interpretation {
	const isOne = area.length <= LONGEST_AREA_CODE && /^[346-9]/.test(area);
	if (isOne && digits.length === 10) {
		return { digits: `7${digits}`, isCompleted: true, isCertain: true };
	}
	return { doubt: digits.length < 10 ? 'digitMissing' : 'digitTooMany' };
}

function doubtAbout(digits: string, code: string): Doubt | undefined {
	const plan = PLANS[code];
	// One that begins with the code has its right length.
	if (plan !== undefined && !digits.startsWith(code)) {
		if (digits.length < plan.length) return 'digitMissing';
		const doubt = oneDigitOff(digits, plan.any);
		if (doubt !== undefined) return doubt;
	}
	if (TRUNK_ZERO.test(digits)) return 'countryCodeMissing';
	if (isOfKnownLength(digits) || mayBeNational(digits, code)) return undefined;
	const doubt = oneDigitOff(digits, USUAL);
	// The country code, unless there is an 8 in place of it.
	const isCodeMissing = doubt === 'digitMissing' && !digits.startsWith('8');
	return isCodeMissing ? 'countryCodeMissing' : doubt;
}

/** Without a default, these are left to the service, which completes them and returns what it has read. */
const mayBeNational = (digits: string, code: string) =>
	code === '' && (LOCAL_MOBILE.test(digits) || EIGHT_FOR_SEVEN.test(digits));

/** No plan looks at more than the first four digits, so that one behind them is like any other. */
const PLACES = [0, 1, 2, 3, 4];
const LONGEST_PLANNED = 12;

function oneDigitOff(digits: string, pattern: RegExp): Doubt | undefined {
	if (PLACES.some((at) => pattern.test(digits.slice(0, at) + digits.slice(at + 1)))) {
		return 'digitTooMany';
	}
	if (digits.length >= LONGEST_PLANNED) return undefined;
	const isOneWith = (at: number) =>
		[...'0123456789'].some((digit) => pattern.test(digits.slice(0, at) + digit + digits.slice(at)));
	return PLACES.some(isOneWith) ? 'digitMissing' : undefined;
}

/** Without the 0 that is dialled only inside the country, as in “+44 (0)20 …”. */
export const withoutTrunkZero = (text: string) =>
	text.replace(/^(\+(\d{1,3})\s*)\(0\)/, (whole, start: string, code: string) =>
		ZERO_STAYS.has(code) || !COUNTRY_CODE.test(code) ? whole : start,
	);
