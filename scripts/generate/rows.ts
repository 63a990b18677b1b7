import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { z } from 'zod';

import { CallVerificationApi } from '../../credentials/CallVerificationApi.credentials';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { ERROR_CODES } from '../../nodes/CallVerification/contract/errorCodes';
import type { OutputFields } from '../../nodes/CallVerification/contract/fields';
import { methods, type ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { eventFields } from '../../nodes/CallVerification/inbound/inboundEvent';
import { resources } from '../../nodes/CallVerification/operations';
import type { Operation, Resource } from '../../nodes/CallVerification/run/operation';
import { requestOptionsField } from '../../nodes/CallVerification/run/options';

export interface NamedOperation {
	/** resource.operation */
	readonly name: string;
	readonly resource: Resource;
	readonly operation: Operation;
}

export const operations: readonly NamedOperation[] = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		resource,
		operation,
	})),
);

/** The output of each operation and of the trigger, by the name in a page's marker. */
export const outputSources: ReadonlyMap<string, OutputFields> = new Map<string, OutputFields>([
	...operations.map(({ name, operation }) => [name, operation.output] as const),
	['trigger', eventFields],
]);

/** All lists of fields that the documentation must show, by the name in a page's marker. */
export const fieldSources: ReadonlyMap<string, readonly INodeProperties[]> = new Map([
	...resources.flatMap((resource) =>
		resource.operations
			.filter(({ fields }) => fields.length > 0)
			.map(({ value, fields }) => [`${resource.value}.${value}`, fields] as const),
	),
	['requestOptions', [requestOptionsField]],
	['trigger', new CallVerificationTrigger().description.properties],
	['credential', new CallVerificationApi().properties],
]);

export const OUTPUT_HEADINGS = ['field', 'type', 'meaning'];

/** The fields, and those inside them. */
export function outputRows(fields: OutputFields, prefix = ''): string[][] {
	return Object.entries(fields).flatMap(([name, { type, meaning, fields: inner = {} }]) => [
		[`\`${prefix}${name}\``, type, meaning.replaceAll('|', '\\|')],
		...outputRows(inner, `${prefix}${name}${type === 'array' ? '[]' : ''}.`),
	]);
}

/** The page that describes an operation. */
export type PageOf = (name: string) => string | undefined;

export const OPERATION_HEADINGS = ['resource', 'operation', 'what it does', 'costs money'];

/** The table of the README, without what is only there for old workflows. */
export function operationRows(pageOf: PageOf): string[][] {
	const current = operations.filter(({ operation }) => !operation.name.endsWith('(Deprecated)'));
	return current.map(({ name, resource, operation }) => [
		resource.operations[0] === operation ? `[${resource.name}](${pageOf(name) ?? ''})` : '',
		operation.name,
		operation.description,
		operation.costs,
	]);
}

const all = Object.values<ServiceMethod>(methods);

export const METHOD_HEADINGS = ['method', 'sent as', 'parameters', 'safe to repeat'];
export const RECORD_HEADINGS = ['method', 'field', 'type', 'meaning'];
export const CODE_HEADINGS = ['code', 'meaning', 'concerns', 'what to do'];

const REPEATABLE: Record<ServiceMethod['repeatable'], string> = {
	always: 'yes',
	withKey: 'with `unique`',
	never: 'never',
};

export function methodRows(): string[][] {
	return all.map(({ name, verb, request, repeatable }) => {
		const parameters = parametersOf(request).map(
			([parameter, isOptional]) => `\`${parameter}\`${isOptional ? ' (optional)' : ''}`,
		);
		return [`\`${name}\``, verb, parameters.join(', ') || 'none', REPEATABLE[repeatable]];
	});
}

export function recordRows(): string[][] {
	return all.flatMap(({ name, response }) =>
		outputRows(response.fields).map((cells, index) => [index === 0 ? `\`${name}\`` : '', ...cells]),
	);
}

export function codeRows(): string[][] {
	return ERROR_CODES.map(({ code, meaning, concerns, advice }) => [
		String(code),
		meaning,
		concerns,
		advice,
	]);
}

export function parametersOf(request: z.ZodTypeAny): Array<[name: string, isOptional: boolean]> {
	if (request instanceof z.ZodEffects) return parametersOf(request.innerType() as z.ZodTypeAny);
	const { shape } = request as z.ZodObject<z.ZodRawShape>;
	return Object.entries(shape).map(([name, parameter]) => [name, parameter.isOptional()]);
}

/** The cells of one row: label, name in a saved workflow, default, purpose. */
type FieldRow = [label: string, name: string, byDefault: string, meaning: string];

export const FIELD_HEADINGS: FieldRow = ['field', 'name', 'default', 'what it is for'];

/** A table of fields in the editor's own words, without notices. */
export function fieldRows(fields: readonly INodeProperties[]): FieldRow[] {
	return fields
		.filter(({ type }) => type !== 'notice')
		.flatMap((field) =>
			field.type === 'collection' ? innerRows(field, fields) : [rowOf(field, fields, '', '')],
		);
}

function innerRows(collection: INodeProperties, outer: readonly INodeProperties[]): FieldRow[] {
	const inner = (collection.options ?? []) as INodeProperties[];
	// Inside a collection, n8n refers to a field of the panel with a slash before its name.
	const siblings = [...inner, ...outer.map((field) => ({ ...field, name: `/${field.name}` }))];
	return inner.map((field) =>
		rowOf(field, siblings, `${collection.displayName} → `, `${collection.name}.`),
	);
}

function rowOf(
	field: INodeProperties,
	siblings: readonly INodeProperties[],
	labelPrefix: string,
	namePrefix: string,
): FieldRow {
	return [
		`${labelPrefix}${field.displayName}`,
		`\`${namePrefix}${field.name}\``,
		defaultOf(field),
		[sentence(field.description ?? ''), choicesOf(field), conditionOf(field, siblings)]
			.filter((part) => part !== '')
			.join(' '),
	].map((cell) => cell.replaceAll('|', '\\|')) as FieldRow;
}

function defaultOf({ type, default: value, required, options }: INodeProperties): string {
	if (type === 'options') return nameOf(options as INodePropertyOptions[], value);
	if (typeof value === 'boolean') return nameOf([], value);
	if (value === '') return required ? '_required_' : '_empty_';
	return `\`${typeof value === 'string' ? value.replace(/^=/, '') : JSON.stringify(value)}\``;
}

/** “Header: in a header. Body: in the body.” */
function choicesOf({ type, options }: INodeProperties): string {
	if (type !== 'options') return '';
	return (options as INodePropertyOptions[])
		.filter(({ description }) => description !== undefined)
		.map(({ name, description }) => `**${name}**: ${sentence(description ?? '')}`)
		.join(' ');
}

function conditionOf(
	{ displayOptions }: INodeProperties,
	siblings: readonly INodeProperties[],
): string {
	return Object.entries(displayOptions?.show ?? {})
		.map(([name, values]) => {
			const other = siblings.find((sibling) => sibling.name === name);
			const names = (values ?? []).map((value) =>
				nameOf((other?.options ?? []) as INodePropertyOptions[], value),
			);
			return `Shown for ${other?.displayName ?? name}: ${names.join(', ')}.`;
		})
		.join(' ');
}

function nameOf(options: readonly INodePropertyOptions[], value: unknown): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	return options.find((option) => option.value === value)?.name ?? String(value);
}

function sentence(text: string): string {
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}
