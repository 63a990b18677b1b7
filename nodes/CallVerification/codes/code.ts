import { createHash, timingSafeEqual } from 'node:crypto';

import { InputError } from '../contract/request';

/** A verification code: four digits, `0001` to `9999`. */
export type Code = string & { readonly __brand: 'Code' };

const FOUR_DIGITS = /^\d{4}$/;

/** `7` is rejected rather than read as `0007`, because three digits may have been lost. */
export function readCode(value: unknown): Code {
	const text = typeof value === 'number' ? String(value) : value;
	const code = typeof text === 'string' ? text.trim() : '';
	if (!FOUR_DIGITS.test(code) || code === '0000') {
		throw new InputError(
			'The code must be four digits from 0001 to 9999',
			'Enter exactly four digits, e.g. 0042. In an expression, keep the code as text, so that it keeps its leading zeros.',
		);
	}
	return code as Code;
}

/**
 * What a person typed. Text that is no code cannot match, but counts as an attempt: the person is told that it was
 * wrong. An empty field is a mistake of the workflow, not of the person.
 */
export function readTypedCode(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : value;
	if (text === undefined || text === null || (typeof text === 'string' && text.trim() === '')) {
		throw new InputError(
			'The code is empty',
			'Check the expression in this field: it must return what the person typed.',
		);
	}
	return typeof text === 'string' ? text.trim() : '';
}

/** Compares digests, so that the duration does not reveal how much of the code was right. */
export function isTypedCodeRight(actual: string, typed: string): boolean {
	return FOUR_DIGITS.test(typed) && timingSafeEqual(digest(actual), digest(typed));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
