import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { notForTools } from './operation';
import { toggle } from './parameterValue';

/** Adding both constants to an operation's options is enough; the run loop does the rest. */
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
 * A new object, because the input is also the stored output of the previous node. A field `error` is renamed: n8n would
 * treat the item as failed and run the whole node again if “Retry On Fail” is on.
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
