import { z } from 'zod';

import { isRecord } from './record';
import { type AnswerField, Unusable } from './answerValue';
import { anyValue } from './anyValue';

export type AnswerFields = Readonly<Record<string, AnswerField>>;

/** The named fields as their readers return them, and all other fields of the response. */
type AnswerRecord<Named extends AnswerFields> = Record<string, unknown> & {
	[Name in keyof Named]: Exclude<ReturnType<Named[Name]['read']>, Unusable>;
};

/**
 * Section 2. Tolerant: only what identifies a record must be present, a value gets its declared type if it can be
 * converted without loss, and everything else passes through unchanged, because it has been paid for.
 *
 * A schema that reads the named fields of a record and leaves others unchanged; at least one of `identifiedBy` must be
 * present. One transformation for the whole record: one for each of sixteen fields was most of what a long list cost
 * beyond the requests themselves.
 */
export function recordOf<Named extends AnswerFields>(
	fields: Named,
	identifiedBy: ReadonlyArray<keyof Named & string> = [],
) {
	const schema = anyValue.transform((body, context): AnswerRecord<Named> => {
		const unusable = (field: string, message: string): never => {
			context.addIssue({ code: 'custom', path: [field], message });
			return z.NEVER;
		};
		const record = readFields(isRecord(body) ? body : {}, fields);
		for (const name in fields) {
			const content = record[name];
			if (content instanceof Unusable) return unusable(name, content.problem);
		}
		const [first] = identifiedBy;
		if (first !== undefined && !identifiedBy.some((name) => isPresent(record[name]))) {
			return unusable(first, 'is missing');
		}
		// Each named field has just been returned by its reader.
		return record as AnswerRecord<Named>;
	});
	return Object.assign(schema, { fields });
}

/** A list of records; entries that are not records stay unchanged. */
export function listOf(
	meaning: string,
	fields: AnswerFields,
): AnswerField<unknown, readonly object[]> {
	return {
		type: 'array',
		meaning,
		fields,
		read: (value) =>
			Array.isArray(value)
				? value.map((entry: unknown) => (isRecord(entry) ? readFields(entry, fields) : entry))
				: value,
	};
}

function readFields(came: Record<string, unknown>, fields: AnswerFields): Record<string, unknown> {
	const record = underOurNames(came, fields);
	// It would become the prototype of whatever the record is copied into.
	delete record.__proto__;
	for (const name in fields) {
		const content = fields[name]?.read(record[name]);
		// A missing field stays missing.
		if (content !== undefined) record[name] = content;
	}
	return record;
}

/** A copy in which every field has our name, in the same place. */
function underOurNames(
	came: Record<string, unknown>,
	fields: AnswerFields,
): Record<string, unknown> {
	let record = { ...came };
	for (const name in fields) {
		const other = fields[name]?.otherName;
		if (other !== undefined && Object.hasOwn(came, other)) record = renamed(record, other, name);
	}
	return record;
}

/** If there are both, ours counts, unless it is empty. */
function renamed(
	record: Record<string, unknown>,
	other: string,
	ours: string,
): Record<string, unknown> {
	const content = isPresent(record[ours]) ? record[ours] : record[other];
	return Object.fromEntries(
		Object.entries(record).map(([name, value]) =>
			name === other || name === ours ? [ours, content] : [name, value],
		),
	);
}

function isPresent(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '';
}
