import { withPlus } from './writtenNumber';

/**
 * The digits that a written number may stand for, the literal ones first. Russians write 8 for their country code 7,
 * but never after a plus: +8… is another country.
 */
export function spellingsOf(written: string): string[] {
	const text = withPlus(written).trim();
	const digits = text.replace(/\D/g, '');
	const isNational = /^8\d{10}$/.test(digits) && !text.startsWith('+');
	return isNational ? [digits, `7${digits.slice(1)}`] : [digits];
}

export function isSameNumber(one: string, other: string): boolean {
	const others = spellingsOf(other);
	return spellingsOf(one).some((digits) => digits !== '' && others.includes(digits));
}
