import { z } from 'zod';

/** A value the user can fix. Thrown before anything is sent, so it costs nothing. */
export class InputError extends Error {
	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
		this.name = 'InputError';
	}

	/** The name under which n8n looks for advice when its HTTP Request node gets this error. */
	get description(): string {
		return this.advice;
	}
}

/** Optional, because zod 4 would refuse a missing key before a transform could say what is wrong. */
export const anyValue = z.unknown().optional();

/** Turns a reader that throws an InputError into a schema, keeping the reader's advice. */
export function checkedBy<T>(read: (value: unknown) => T) {
	return anyValue.transform((value, context): T => {
		try {
			return read(value);
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			reject(context, message, error instanceof InputError ? error.advice : '');
			return z.NEVER;
		}
	});
}

export function reject(context: z.RefinementCtx, message: string, advice: string): void {
	context.addIssue({ code: 'custom', message, params: { advice } });
}

/** Parses with the schema; throws the first problem as an InputError. */
export function parseInput<Schema extends z.ZodTypeAny>(
	schema: Schema,
	value: unknown,
): z.output<Schema> {
	const result = schema.safeParse(value);
	if (result.success) return result.data;
	const issue = result.error.issues[0];
	if (issue?.code === 'custom') {
		const advice: unknown = issue.params?.advice;
		throw new InputError(issue.message, typeof advice === 'string' ? advice : '');
	}
	throw new InputError(
		`“${issue?.path.join('.') ?? ''}” has an invalid value: ${issue?.message ?? ''}`,
		'Check the expression in this field: it must return a value that the field accepts.',
	);
}

/*
 * Parameters that methods share, section 4. Strict, because a wrong request costs money. What people write is read
 * before, by the operations.
 */

/** In E.164 digits: 7 to 15 of them, country code first. */
export const phone = z.number().int().min(1_000_000).max(999_999_999_999_999);

/** A call that was made. */
export const callReference = z.object({
	uid: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
});

export const noParameters = z.object({});

export function shortText(label: string) {
	return z
		.union([z.string(), z.number()])
		.transform(String)
		.superRefine((content, context) => {
			if ([...content].length <= 64) return;
			reject(context, `“${label}” is longer than 64 characters`, 'Shorten it to 64 characters.');
		});
}
