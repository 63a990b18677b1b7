import { isRecord } from './record';
import type { JsonType, OutputField, OutputFields } from './outputField';

/** The values of section 2, each returned in one form, whatever form it was sent in. */

/** A field of a record: what it means, and how it is read. */
export interface AnswerField<Content = unknown, Sent = unknown> extends OutputField {
	readonly read: (value: unknown) => Content | Unusable;
	/** What a service may call the field instead. The record has our name. */
	readonly otherName?: string;
	/** Only for the compiler: what the service sends. The emulator must comply with it. */
	readonly sent?: Sent;
}

/** Replaces an unusable value that a record cannot do without. */
export class Unusable {
	constructor(readonly problem: string) {}
}

const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

export const number = reader<number>('number', readNumber);

export const text = reader<string>('string', readText);

export const flag = reader<boolean>('boolean', readFlag);

/** Above 2^53, JSON has rounded the identifier, and the rounded one identifies another call. */
export const identifier = reader<number, number>('number', (value) => {
	const id = readNumber(value);
	if (typeof id !== 'number') return new Unusable('is missing');
	return Number.isSafeInteger(id) ? id : new Unusable('is too large to be exact');
});

export const requiredNumber = reader<number, number>('number', (value) => {
	const read = readNumber(value);
	return typeof read === 'number' ? read : new Unusable('is missing');
});

export const requiredText = reader<string, string>('string', (value) => {
	const content = readText(value);
	return typeof content === 'string' && content !== '' ? content : new Unusable('is missing');
});

/** Only a code sent as a number has lost its leading zeros. */
export const fourDigits = reader<string>('string', (value) =>
	typeof value === 'number' ? String(value).padStart(4, '0') : value,
);

/** Declared a boolean, shown as a decimal: `false` cost nothing, `true` does not say how much. */
export const price = reader<number | boolean>('number', (value) => {
	if (typeof value === 'boolean') return value ? null : 0;
	return readNumber(value);
});

/** Declared a number, shown as dotted text. */
export const ipAddress = reader<string | number>('string', (value) => {
	if (typeof value !== 'number') return value;
	if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) return String(value);
	return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
});

/** Declared an object, shown as an array that contains one. Either may be empty. */
export function objectOrList(
	meaning: string,
	fields: OutputFields,
): AnswerField<Record<string, unknown>, object> {
	return {
		type: 'object',
		meaning,
		fields,
		read(value) {
			const content: unknown = Array.isArray(value) ? value[0] : value;
			return isRecord(content) ? content : {};
		},
	};
}

export function asItCame(type: JsonType, meaning: string, otherName?: string): AnswerField {
	return { type, meaning, otherName, read: unchanged };
}

function reader<Sent, Content = unknown>(
	type: JsonType,
	read: (value: unknown) => Content | Unusable,
) {
	return (meaning: string, otherName?: string): AnswerField<Content, Sent> => ({
		type,
		meaning,
		otherName,
		read,
	});
}

function unchanged(value: unknown): unknown {
	return value;
}

function readNumber(value: unknown): unknown {
	return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
}

function readText(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

export function readFlag(value: unknown): unknown {
	if (value === 1 || value === 'true' || value === '1') return true;
	if (value === 0 || value === 'false' || value === '0') return false;
	return value;
}
