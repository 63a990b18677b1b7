import type { INodeProperties } from 'n8n-workflow';

import { resources } from '../../nodes/CallVerification/operations';
import { read } from './project';

/** Of version 1.0.0, whose section says “every method of the service as an operation”. Nothing is added here. */
const IN_FIRST_VERSION = [
	'Account: Get',
	'Account: Get Balance',
	'Call: Check Code',
	'Call: Get',
	'Call: Repeat',
	'Inbound Call: Get Number to Call',
	'Phone Number: Check',
	'Phone Number: Check File',
	'Service Settings: Get',
	// fields
	'Call ID',
	'Call ID or Token',
	'Callback URL',
	'Code',
	'Customer ID',
	'Expires After',
	'Hide Code',
	'HTML Report',
	'Input Data Field Name',
	'Max Checks',
	'Max Wait',
	'Phone Number',
	'Put Output File in Field',
	'Reference',
	'Simplify',
	'Wait Up To',
	'When the Person Calls',
];

/** Without a unit, or a remark. */
const bare = (label: string) => label.replace(/ \(.*\)$/, '');

const labelsOf = (field: INodeProperties): string[] => {
	if (field.type === 'notice') return [];
	if (field.type !== 'collection') return [bare(field.displayName)];
	return (field.options ?? []).flatMap((option) => ('type' in option ? labelsOf(option) : []));
};

const shown = resources.flatMap((resource) =>
	resource.operations.flatMap(({ name, fields }) => [
		bare(`${resource.name}: ${name}`),
		...fields.flatMap(labelsOf),
	]),
);

describe('the change log', () => {
	it('names every operation and every field that is newer than version 1.0.0, in bold', () => {
		const changes = read('CHANGELOG.md');
		const isNamed = (label: string) =>
			IN_FIRST_VERSION.includes(label) || changes.includes(`**${label}**`);
		const missing = [...new Set(shown)].filter((label) => !isNamed(label));
		expect(missing.map((label) => `add a line about **${label}** to CHANGELOG.md`)).toEqual([]);
	});
});
