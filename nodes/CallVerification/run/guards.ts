import type { INodeProperties } from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';

/**
 * Options that limit nothing. Every other option is a guard: without its value, calls, checks, codes or events would go
 * unlimited, so an expression must not leave it empty, and a model must not set it.
 */
const HARMLESS: ReadonlySet<string> = new Set([
	'client',
	'code',
	'includeInputFields',
	'maxWait',
	'outputBinaryPropertyName',
	'reference',
	'report',
	'waitingPage',
]);

export function isGuard(option: string): boolean {
	return !HARMLESS.has(option);
}

/** @param raw A parameter as stored in the workflow. */
export function isExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	return typeof raw === 'object' && raw !== null && Object.values(raw).some(isExpression);
}

/** As in the editor, without the unit. */
export function labelOf({ options = [] }: INodeProperties, option: string): string {
	const field = options.find(({ name }) => name === option);
	const label = field !== undefined && 'displayName' in field ? field.displayName : option;
	return label.replace(/ \(.*\)$/, '');
}

/**
 * Options without those left empty. Throws if it was not the user who left a guard empty, but an expression.
 *
 * @param raw The collection as stored in the workflow.
 * @param value The same with its expressions evaluated.
 */
export function givenOptions(
	field: INodeProperties,
	raw: unknown,
	value: unknown,
): Record<string, unknown> {
	const isOneExpression = typeof raw === 'string' && isExpression(raw);
	if (isOneExpression && !isRecord(value)) throw nothingReturned(field.displayName);
	const entered = isRecord(raw) ? raw : {};
	const given = Object.entries(isRecord(value) ? value : {}).filter(([name, content]) => {
		const isEvaluated = isOneExpression || isExpression(entered[name]);
		if (isEvaluated && isGuard(name) && isNothing(content)) {
			throw nothingReturned(labelOf(field, name));
		}
		return !isBlank(content);
	});
	return Object.fromEntries(given);
}

export function isBlank(value: unknown): boolean {
	return value === '' || value === null || value === undefined;
}

/** Text without a letter or digit holds no prefix, address, key or number, and neither does an empty list. */
function isNothing(value: unknown): boolean {
	if (isRecord(value)) return Object.keys(value).length === 0;
	return !/[\p{L}\p{N}]/u.test(String(value ?? ''));
}

function nothingReturned(label: string): InputError {
	return new InputError(
		`The expression in “${label}” returned nothing`,
		'Without a value, it would limit nothing. Correct the expression, or remove the option.',
	);
}
