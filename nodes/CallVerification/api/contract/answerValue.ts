import { isRecord } from '../record';

/** The values of section 2, each handed out in one form whatever form it came in. */

export type ReadValue<Content = unknown> = (value: unknown) => Content | Unusable;

/** Stands where a value should be without which a record is none. */
export class Unusable {
	constructor(readonly problem: string) {}
}

const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

export function number(value: unknown): unknown {
	return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
}

export function text(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

export function flag(value: unknown): unknown {
	if (value === 1 || value === 'true' || value === '1') return true;
	if (value === 0 || value === 'false' || value === '0') return false;
	return value;
}

/** Beyond 2^53 JSON has rounded the identifier, and the rounded one names another call. */
export function identifier(value: unknown): number | Unusable {
	const id = number(value);
	if (typeof id !== 'number') return new Unusable('is missing');
	return Number.isSafeInteger(id) ? id : new Unusable('is too large to be exact');
}

export function amount(value: unknown): number | Unusable {
	const read = number(value);
	return typeof read === 'number' ? read : new Unusable('is missing');
}

export function requiredText(value: unknown): string | Unusable {
	const content = text(value);
	return typeof content === 'string' && content !== '' ? content : new Unusable('is missing');
}

/** Only a code that came as a number has lost its leading zeros. */
export function code(value: unknown): unknown {
	return typeof value === 'number' ? String(value).padStart(4, '0') : value;
}

/** Declared a boolean, shown as a decimal: `false` cost nothing, `true` does not say how much. */
export function cost(value: unknown): unknown {
	if (typeof value === 'boolean') return value ? null : 0;
	return number(value);
}

/** Declared an object, shown as an array that holds one. It may be empty either way. */
export function phoneInfo(value: unknown): Record<string, unknown> {
	const info: unknown = Array.isArray(value) ? value[0] : value;
	return isRecord(info) ? info : {};
}

/** Declared a number, shown as a dotted text. */
export function ipAddress(value: unknown): unknown {
	if (typeof value !== 'number') return value;
	if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) return String(value);
	return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}

export function asItCame(value: unknown): unknown {
	return value;
}
