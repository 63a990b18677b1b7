import { z } from 'zod';

import { isRecord } from '../record';
import { type AnswerField, Unusable } from './answerValue';
import { anyValue } from './anyValue';

export type AnswerFields = Readonly<Record<string, AnswerField>>;

/** The named fields as their readers hand them out, and whatever else came. */
type AnswerRecord<Named extends AnswerFields> = Record<string, unknown> & {
	[Name in keyof Named]: Exclude<ReturnType<Named[Name]['read']>, Unusable>;
};

/**
 * Section 2. Tolerant: only what identifies a record must be there, a declared type is handed out wherever the value can
 * be turned into it without loss, and everything else passes through as it came. It has been paid for.
 *
 * A schema that reads the named fields of a record and leaves others as they came; at least one of `identifiedBy` must
 * have come. One transformation for the whole record: one for each of sixteen fields was most of what a long list cost
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
		// Each named field has just been handed out by its reader.
		return record as AnswerRecord<Named>;
	});
	return Object.assign(schema, { fields });
}

/** A list of records; what is no record stays as it came. */
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
	const record = { ...came };
	// It would become the prototype of whatever the record is copied into.
	delete record.__proto__;
	for (const name in fields) {
		const content = fields[name]?.read(came[name]);
		// A field that did not come is no field.
		if (content !== undefined) record[name] = content;
	}
	return record;
}

function isPresent(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '';
}
