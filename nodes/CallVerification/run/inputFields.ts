import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { notForTools } from './operation';
import { toggle } from './parameterValue';

/** An operation has the option once both constants are among its options; the run loop does the rest. */
export const includeInputFieldsField: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: false,
	displayOptions: notForTools,
	description:
		'Whether to also return the fields of the input item. If both have a field of the same name, the result wins.',
};

export const includeInputFields = toggle.optional().default(false);

/**
 * A new object, because the input is also the stored output of the node before. A column `error` gets another name:
 * n8n would take the item for a failed one and run the whole node again when “Retry On Fail” is set.
 */
export function withInputFields(
	input: IDataObject,
	result: IDataObject,
	reserved: readonly string[] = [],
): IDataObject {
	const nameForError = freeName('input_error', input);
	const columns = Object.entries(input)
		.filter(([name]) => !reserved.includes(name))
		.map(([name, value]) => [name === 'error' ? nameForError : name, value]);
	return { ...(Object.fromEntries(columns) as IDataObject), ...result };
}

function freeName(name: string, taken: IDataObject): string {
	return name in taken ? freeName(`input_${name}`, taken) : name;
}
