import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The cells of one row: label, name in a saved workflow, default, purpose. */
export type FieldRow = [label: string, name: string, byDefault: string, meaning: string];

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
