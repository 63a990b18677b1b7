import { z } from 'zod';

import { anyValue } from './request';

/** Section 2: the records of the service and their values, each returned in one form, whatever form it was sent in. */

export type JsonType = 'array' | 'boolean' | 'number' | 'object' | 'string';

/** A field of a node's output. Schemas and documentation are generated from these: `npm run generate`. */
export interface OutputField {
	readonly type: JsonType;
	/** Ends a row of the documentation: no capital, no full stop, Markdown allowed. */
	readonly meaning: string;
	/** Of an object, or of each entry of an array. */
	readonly fields?: OutputFields;
}

/** By name, in the order of the output. */
export type OutputFields = Readonly<Record<string, OutputField>>;

export interface RecordField<Content = unknown, Sent = unknown> extends OutputField {
	readonly read: (value: unknown) => Content | Unusable;
	/** What a service may call the field instead. The record has our name. */
	readonly otherName?: string;
	/** Only for the compiler: what the service sends. The emulator must comply with it. */
	readonly sent?: Sent;
}

export type RecordFields = Readonly<Record<string, RecordField>>;
type PlainRecord = Record<string, unknown>;

/** What the service sends: a field may be missing or null, but has no other type. */
export type SentRecord<Fields extends RecordFields> = {
	[Name in keyof Fields]?: Fields[Name]['sent'] | null;
};

/** The named fields as their readers return them, and all other fields of the response. */
type ReadRecord<Fields extends RecordFields> = PlainRecord & {
	[Name in keyof Fields]: Exclude<ReturnType<Fields[Name]['read']>, Unusable>;
};

/** Replaces a value that a record cannot do without. */
export class Unusable {
	constructor(
		readonly problem: string,
		/** The names of the field and of those around it. */
		readonly path: readonly string[] = [],
	) {}
}

const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** With its offset: without one, only the service knows which time zone is meant. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

const readNumber = (value: unknown) =>
	typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;

const readText = (value: unknown) => (typeof value === 'number' ? String(value) : value);

const unchanged = (value: unknown) => value;

const reader =
	<Sent, Content = unknown>(type: JsonType, read: (value: unknown) => Content | Unusable) =>
	(meaning: string, otherName?: string): RecordField<Content, Sent> => ({
		type,
		meaning,
		otherName,
		read,
	});

export const number = reader<number>('number', readNumber);
export const text = reader<string>('string', readText);
export const flag = reader<boolean>('boolean', readFlag);

/** Sent as Unix time or as ISO 8601 with an offset; returned as Unix time, which needs no time zone. */
export const unixTime = (meaning: string, otherName?: string) =>
	reader<number>('number', readTime)(`${meaning}, Unix time in seconds`, otherName);

export const requiredNumber = reader<number, number>('number', readRequiredNumber);

/** Above 2^53, JSON has rounded the identifier, and the rounded one identifies another call. */
export const identifier = reader<number, number>('number', (value) => {
	const id = readRequiredNumber(value);
	if (id instanceof Unusable || Number.isSafeInteger(id)) return id;
	return new Unusable('is too large to be exact');
});

export const requiredText = reader<string, string>('string', (value) => {
	const content = readText(value);
	return typeof content === 'string' && content !== '' ? content : new Unusable('is missing');
});

/** Only a code sent as a number has lost its leading zeros. */
export const fourDigits = reader<string>('string', (value) =>
	typeof value === 'number' ? String(value).padStart(4, '0') : value,
);

/**
 * Declared a boolean, shown as a decimal: `false` cost nothing, `true` does not say how much. Neither does any other
 * text: whether “1,000 RUB” is one or a thousand is a guess, and a column of numbers in a database takes no text.
 */
export const price = reader<number | boolean>('number', (value) => {
	if (value === undefined) return undefined;
	const content = value === false ? 0 : readNumber(value);
	return typeof content === 'number' ? content : null;
});

/** Declared a number, shown as dotted text. */
export const ipAddress = reader<string | number>('string', (value) => {
	if (typeof value !== 'number') return value;
	const isAddress = Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
	if (!isAddress) return String(value);
	const bytes = [value >>> 24, value >>> 16, value >>> 8, value].map((bits) => bits & 0xff);
	return bytes.join('.');
});

export const asItCame = (type: JsonType, meaning: string, otherName?: string) =>
	reader(type, unchanged)(meaning, otherName);

/** A record inside a record. Anything else stays unchanged. */
export function objectOf<Fields extends RecordFields>(
	meaning: string,
	fields: Fields,
): RecordField<unknown, SentRecord<Fields>> {
	return { type: 'object', meaning, fields, read: (value) => readEntry(value, fields) };
}

/** A list of records. Entries that are not records stay unchanged. */
export function listOf<Fields extends RecordFields>(
	meaning: string,
	fields: Fields,
): RecordField<unknown, ReadonlyArray<SentRecord<Fields>>> {
	const read = (value: unknown) => {
		if (!Array.isArray(value)) return value;
		const entries = value.map((entry: unknown) => readEntry(entry, fields));
		return entries.find((entry) => entry instanceof Unusable) ?? entries;
	};
	return { type: 'array', meaning, fields, read };
}

/** Declared an object, shown as an array that contains one. Either may be empty. */
export function objectOrList<Fields extends RecordFields>(
	meaning: string,
	fields: Fields,
): RecordField<PlainRecord, SentRecord<Fields> | ReadonlyArray<SentRecord<Fields>>> {
	const read = (value: unknown) => {
		const content: unknown = Array.isArray(value) ? value[0] : value;
		return isRecord(content) ? readFields(content, fields) : {};
	};
	return { type: 'object', meaning, fields, read };
}

/**
 * Tolerant: only what identifies a record must be present (at least one of `identifiedBy`), a value gets its declared
 * type if it can be converted without loss, and everything else passes through unchanged, because it has been paid for.
 *
 * One transformation for the whole record: one for each of sixteen fields was most of what a long list cost beyond the
 * requests themselves.
 */
export function recordOf<Fields extends RecordFields>(
	fields: Fields,
	identifiedBy: ReadonlyArray<keyof Fields & string> = [],
) {
	const schema = anyValue.transform((body, context): ReadRecord<Fields> => {
		const record = readFields(isRecord(body) ? body : {}, fields);
		const unusable = record instanceof Unusable ? record : unidentified(record, identifiedBy);
		// Each named field has just been returned by its reader.
		if (unusable === undefined) return record as ReadRecord<Fields>;
		context.addIssue({ code: 'custom', path: [...unusable.path], message: unusable.problem });
		return z.NEVER;
	});
	return Object.assign(schema, { fields });
}

export const isRecord = (value: unknown): value is PlainRecord =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** NUL, and half of a surrogate pair: no database takes them. */
const UNSTORABLE = /[\0\p{Cs}]/gu;

export const storable = (content: string) => content.replace(UNSTORABLE, '\uFFFD');

/** A copy of a JSON value with all of its texts changed, those that name a field, too. */
export function withTexts(value: unknown, change: (content: string) => string): unknown {
	if (typeof value === 'string') return change(value);
	if (Array.isArray(value)) return value.map((entry: unknown) => withTexts(entry, change));
	if (!isRecord(value)) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(
		entries.map(([name, content]) => [change(name), withTexts(content, change)]),
	);
}

/** Only these fields, in this order; missing ones are left out. */
export function pick<Value>(
	record: Readonly<Record<string, Value>>,
	fields: readonly string[],
): Readonly<Record<string, Value>> {
	const entries = Object.entries(record);
	return Object.fromEntries(fields.flatMap((field) => entries.filter(([name]) => name === field)));
}

export const omit = (record: Readonly<PlainRecord>, fields: readonly string[]): PlainRecord =>
	Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));

export function readFlag(value: unknown): unknown {
	if (value === 1 || value === 'true' || value === '1') return true;
	if (value === 0 || value === 'false' || value === '0') return false;
	return value;
}

function readRequiredNumber(value: unknown): number | Unusable {
	const content = readNumber(value);
	return typeof content === 'number' ? content : new Unusable('is missing');
}

function readTime(value: unknown): unknown {
	const milliseconds = typeof value === 'string' && ISO_TIME.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(milliseconds) ? readNumber(value) : Math.floor(milliseconds / 1000);
}

const readEntry = (value: unknown, fields: RecordFields) =>
	isRecord(value) ? readFields(value, fields) : value;

/** The record, or the first value in it that is unusable. */
function readFields(came: PlainRecord, fields: RecordFields): PlainRecord | Unusable {
	const record = underOurNames(came, fields);
	// It would become the prototype of whatever the record is copied into.
	delete record.__proto__;
	for (const [name, field] of Object.entries(fields)) {
		const content = field.read(record[name]);
		if (content instanceof Unusable) return new Unusable(content.problem, [name, ...content.path]);
		// A missing field stays missing.
		if (content !== undefined) record[name] = content;
	}
	return record;
}

/** What is wrong with a record that has none of the fields, of which one has to be present. */
function unidentified(record: PlainRecord, by: readonly string[]): Unusable | undefined {
	const [first] = by;
	if (first === undefined || by.some((name) => isPresent(record[name]))) return undefined;
	return new Unusable('is missing', [first]);
}

/** A copy in which every field has our name. */
function underOurNames(came: PlainRecord, fields: RecordFields): PlainRecord {
	let record = { ...came };
	for (const [name, { otherName }] of Object.entries(fields)) {
		if (otherName === undefined || !Object.hasOwn(came, otherName)) continue;
		record = renamed(record, otherName, name);
	}
	return record;
}

/** With the field in the same place. If there are fields of both names, ours counts, unless it is empty. */
function renamed(record: PlainRecord, otherName: string, ourName: string): PlainRecord {
	const content = isPresent(record[ourName]) ? record[ourName] : record[otherName];
	const entries = Object.entries(record).map(([name, value]): [string, unknown] => {
		const isThis = name === otherName || name === ourName;
		return isThis ? [ourName, content] : [name, value];
	});
	return Object.fromEntries(entries);
}

const isPresent = (value: unknown) => value !== undefined && value !== null && value !== '';
