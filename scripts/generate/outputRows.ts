import type { OutputFields } from '../../nodes/CallVerification/contract/fields';

export const OUTPUT_HEADINGS = ['field', 'type', 'meaning'];

/** The fields, and those inside them. */
export function outputRows(fields: OutputFields, prefix = ''): string[][] {
	return Object.entries(fields).flatMap(([name, { type, meaning, fields: inner = {} }]) => [
		[`\`${prefix}${name}\``, type, meaning.replaceAll('|', '\\|')],
		...outputRows(inner, `${prefix}${name}${type === 'array' ? '[]' : ''}.`),
	]);
}
