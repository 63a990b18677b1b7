import { z } from 'zod';

import { anyValue, reject } from '../contract/request';

/** Values of the node's own fields. Expressions may return text for any of them. */

export const toggle = z.union([
	z.boolean(),
	z.enum(['true', 'false']).transform((value) => value === 'true'),
]);

/** Text, neither shortened nor trimmed; numbers and booleans from expressions become text. */
export function plainText(label: string) {
	return anyValue.transform((value, context): string => {
		if (typeof value === 'string') return value;
		if (typeof value === 'number' || typeof value === 'boolean') return String(value);
		reject(context, `“${label}” is not text`, 'Check the expression in this field.');
		return z.NEVER;
	});
}

export function seconds(label: string, most: number) {
	return duration(label, 'seconds', most);
}

export function minutes(label: string, most: number) {
	return duration(label, 'minutes', most);
}

function duration(label: string, unit: string, most: number) {
	return numberThat(
		(value) => value > 0 && value <= most,
		`“${label}” must be more than 0 and at most ${most} ${unit}`,
	);
}

export function wholeNumber(label: string, most: number) {
	return numberThat(
		(value) => Number.isInteger(value) && value >= 0 && value <= most,
		`“${label}” must be a whole number from 0 to ${most}`,
	);
}

export function decimalNumber(label: string, most: number, least = 0) {
	return numberThat(
		(value) => value >= least && value <= most,
		`“${label}” must be a number from ${least} to ${most}`,
	);
}

function numberThat(isRight: (value: number) => boolean, problem: string) {
	return anyValue.transform((value, context): number => {
		const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof read === 'number' && isRight(read)) return read;
		reject(context, problem, 'Enter a number, e.g. 30.');
		return z.NEVER;
	});
}
