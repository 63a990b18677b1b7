import type { INodeProperties } from 'n8n-workflow';

export const allowedPrefixesField: INodeProperties = {
	displayName: 'Allowed Prefixes',
	name: 'allowedPrefixes',
	type: 'string',
	default: '',
	placeholder: 'e.g. 7, 375',
	description:
		'First digits of the numbers that may be called. Any other number is refused before it costs anything.',
	builderHint: {
		propertyHint:
			'Set this whenever the number comes from a form, a chat or a webhook: otherwise a stranger can have any number in the world called at your cost. Ask the user for the country codes.',
	},
};
