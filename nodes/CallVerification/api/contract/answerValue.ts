import { z } from 'zod';

import { isRecord } from '../record';
import { anyValue } from './anyValue';

/** The values of section 2, each handed out in one form whatever form it came in. */

const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function asNumber(value: unknown): unknown {
	return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
}

function asText(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

function asFlag(value: unknown): unknown {
	if (value === 1 || value === 'true' || value === '1') return true;
	if (value === 0 || value === 'false' || value === '0') return false;
	return value;
}

export const number = anyValue.transform(asNumber);

export const text = anyValue.transform(asText);

export const flag = anyValue.transform(asFlag);

/** Beyond 2^53 JSON has rounded the identifier, and the rounded one names another call. */
export const identifier = anyValue.transform((value, context): number => {
	const id = asNumber(value);
	if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
	context.addIssue({
		code: 'custom',
		message: typeof id === 'number' ? 'is too large to be exact' : 'is missing',
	});
	return z.NEVER;
});

export const amount = anyValue.transform((value, context): number => {
	const read = asNumber(value);
	if (typeof read === 'number') return read;
	context.addIssue({ code: 'custom', message: 'is missing' });
	return z.NEVER;
});

export const requiredText = anyValue.transform((value, context): string => {
	const content = asText(value);
	if (typeof content === 'string' && content !== '') return content;
	context.addIssue({ code: 'custom', message: 'is missing' });
	return z.NEVER;
});

/** Only a code that came as a number has lost its leading zeros. */
export const code = anyValue.transform((value) =>
	typeof value === 'number' ? String(value).padStart(4, '0') : value,
);

/** Declared a boolean, shown as a decimal: `false` cost nothing, `true` does not say how much. */
export const cost = anyValue.transform((value) => {
	if (typeof value === 'boolean') return value ? null : 0;
	return asNumber(value);
});

/** Declared an object, shown as an array that holds one. It may be empty either way. */
export const phoneInfo = anyValue.transform((value): Record<string, unknown> => {
	const info: unknown = Array.isArray(value) ? value[0] : value;
	return isRecord(info) ? info : {};
});

/** Declared a number, shown as a dotted text. */
export const ipAddress = anyValue.transform((value) => {
	if (typeof value !== 'number') return value;
	if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) return String(value);
	return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
});
