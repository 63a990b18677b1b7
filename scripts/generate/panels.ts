import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { CallVerification } from '../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { requestOptionsField } from '../../nodes/CallVerification/run/options';
import { operations } from './sources';

interface Panel {
	readonly title: string;
	readonly parameters: Readonly<Record<string, string>>;
	/** Labels and notices, from top to bottom. */
	readonly fields: readonly string[];
}

/** What the editor should show below Resource and Operation, for each option that other fields depend on. */
export function panels(): { action: Panel[]; trigger: Panel[] } {
	return {
		action: operations.flatMap(({ name, resource, operation }) =>
			panelsOf(name, { resource: resource.value, operation: operation.value }, [
				...operation.fields,
				requestOptionsField,
			]),
		),
		trigger: panelsOf('trigger', {}, new CallVerificationTrigger().description.properties),
	};
}

function panelsOf(
	name: string,
	chosen: Readonly<Record<string, string>>,
	fields: readonly INodeProperties[],
): Panel[] {
	return choicesOf(fields).map((choice) => {
		const parameters = { ...chosen, ...choice };
		const shown = fields.filter((field) => isShown(field, parameters));
		return {
			title: [name, ...Object.values(choice)].join(' '),
			parameters,
			fields: shown.map(({ displayName }) => displayName),
		};
	});
}

/** All values of the one field that decides which others are shown; one empty choice if there is none. */
function choicesOf(fields: readonly INodeProperties[]): Array<Record<string, string>> {
	const deciding = fields.find(({ name }) =>
		fields.some(({ displayOptions }) => displayOptions?.show?.[name] !== undefined),
	);
	if (deciding === undefined) return [{}];
	const options = (deciding.options ?? []) as INodePropertyOptions[];
	return options.map(({ value }) => ({ [deciding.name]: String(value) }));
}

function isShown(field: INodeProperties, parameters: Readonly<Record<string, string>>): boolean {
	const { description } = new CallVerification();
	return NodeHelpers.displayParameter({ ...parameters }, field, null, description);
}
