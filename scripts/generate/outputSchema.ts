import type { OutputField, OutputFields } from '../../nodes/CallVerification/contract/fields';

export interface OutputSchema {
	type: string;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** The output schema in n8n's format, with which the editor can offer the fields before the first run. */
export function outputSchema(fields: OutputFields): OutputSchema {
	const entries = Object.entries(fields).map(([name, field]) => [name, schemaOf(field)] as const);
	return { type: 'object', properties: Object.fromEntries(entries) };
}

function schemaOf({ type, fields }: OutputField): OutputSchema {
	if (fields === undefined) return { type };
	return type === 'array' ? { type, items: outputSchema(fields) } : outputSchema(fields);
}
