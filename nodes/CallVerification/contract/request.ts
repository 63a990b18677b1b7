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

/** A schema of a reader, whose InputError passes through zod. */
export const checkedBy = <T>(read: (value: unknown) => T) => anyValue.transform(read);

/** Throws the first problem as an InputError. */
export function parseInput<Schema extends z.ZodTypeAny>(
	schema: Schema,
	value: unknown,
): z.output<Schema> {
	const result = schema.safeParse(value);
	if (result.success) return result.data;
	const issue = result.error.issues[0];
	throw new InputError(
		`“${issue?.path.join('.') ?? ''}” has an invalid value: ${issue?.message ?? ''}`,
		'Check the expression in this field: it must return a value that the field accepts.',
	);
}

// Parameters that methods share, section 4. Strict, because a wrong request costs money. What people write is read
// before, by the operations.

/** In E.164 digits: 7 to 15 of them, country code first. */
export const phone = z.number().int().min(1_000_000).max(999_999_999_999_999);

export const callReference = z.object({
	uid: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
});

export const noParameters = z.object({});

export const shortText = (label: string) =>
	z.union([z.string(), z.number()]).transform((content) => {
		if ([...String(content)].length <= 64) return String(content);
		const message = `“${label}” is longer than 64 characters`;
		throw new InputError(message, 'Shorten it to 64 characters.');
	});
