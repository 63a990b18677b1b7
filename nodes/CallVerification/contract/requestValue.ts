import { z } from 'zod';

import { InputError } from './inputError';
import { anyValue } from './anyValue';

/** Turns a reader that throws an InputError into a schema, keeping the reader's advice. */
export function checkedBy<T>(read: (value: unknown) => T) {
	return anyValue.transform((value, context): T => {
		try {
			return read(value);
		} catch (error) {
			refuse(context, messageOf(error), error instanceof InputError ? error.advice : '');
			return z.NEVER;
		}
	});
}

export function refuse(context: z.RefinementCtx, message: string, advice: string): void {
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
		throw new InputError(issue.message, adviceOf(issue));
	}
	throw new InputError(
		`“${issue?.path.join('.') ?? ''}” has an invalid value: ${issue?.message ?? ''}`,
		'Check the expression in this field: it must return a value that the field accepts.',
	);
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function adviceOf(issue: { params?: Record<string, unknown> }): string {
	const advice = issue.params?.advice;
	return typeof advice === 'string' ? advice : '';
}
