import { InputError } from '../contract/request';
import { withoutInvisibleMarks } from './invisibleMarks';

const COUNTRY_CODE =
	/^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\d)$/;

/** Reads a country calling code such as `7`, `+44` or the number 375. */
export function readCountryCode(value: unknown): string {
	const code = withoutInvisibleMarks(String(value)).trim().replace(/^\+/, '');
	if (COUNTRY_CODE.test(code)) return code;
	throw new InputError(
		'“Default Country Code” is not the calling code of a country',
		'Enter its digits, e.g. 7 for Russia and Kazakhstan or 44 for the United Kingdom.',
	);
}

/** Where a national number keeps its 0 abroad, or has more than a 0 in front. */
const ZERO_STAYS = new Set(['36', '39', '225', '229', '242', '378']);

/** No area code begins with the digits that are left out here, so that numbers of some other countries do not fit. */
const NATIONAL: Readonly<Record<string, RegExp>> = {
	1: /^([2-9]\d{9})$/,
	7: /^8?([346-9]\d{9})$/,
};

/**
 * The number in digits with the country code, if it can only be a national one. Undefined for all others, because a
 * number without a plus may still have a country code.
 */
export function withCountryCode(digits: string, code: string): string | undefined {
	const pattern = NATIONAL[code] ?? (ZERO_STAYS.has(code) ? undefined : /^0([1-9]\d{5,13})$/);
	const national = pattern?.exec(digits)?.[1];
	return national === undefined ? undefined : `${code}${national}`;
}

/** Without the 0 that is dialled only inside the country, as in “+44 (0)20 …”. */
export function withoutTrunkZero(text: string): string {
	return text.replace(/^(\+(\d{1,3})\s*)\(0\)/, (whole, start: string, code: string) =>
		ZERO_STAYS.has(code) || !COUNTRY_CODE.test(code) ? whole : start,
	);
}
