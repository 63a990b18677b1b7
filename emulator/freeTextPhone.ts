import { findInPlan, type PlannedNumber } from './numberingPlan';

export type ParsedPhone =
	| { kind: 'valid'; digits: string; planned: PlannedNumber }
	| { kind: 'invalid'; reason: string };

/** Reads a phone number as people write it: plus sign, spaces, hyphens, dots, brackets. */
export function parseFreeText(source: string): ParsedPhone {
	const text = source.trim();
	if (!/^\+?[\d\s().\-\u2010-\u2015]*$/u.test(text)) {
		return { kind: 'invalid', reason: 'The phone holds characters that no number has' };
	}
	const digits = text.replace(/\D/g, '');
	if (digits.length < 7) return { kind: 'invalid', reason: 'The phone is too short' };
	if (digits.length > 15) return { kind: 'invalid', reason: 'The phone is too long' };
	const international = text.startsWith('+') ? digits : withCountryCode(digits);
	const planned = findInPlan(international);
	if (planned === undefined) {
		return { kind: 'invalid', reason: 'The phone is in no numbering registry' };
	}
	return { kind: 'valid', digits: international, planned };
}

// Without a plus sign, people in Russia and Kazakhstan write 8, or nothing, instead of 7.
function withCountryCode(digits: string): string {
	if (digits.startsWith('00')) return digits.slice(2);
	if (digits.length === 11 && digits.startsWith('8')) return `7${digits.slice(1)}`;
	if (digits.length === 10 && digits.startsWith('9')) return `7${digits}`;
	return digits;
}
