import type { INodeProperties } from 'n8n-workflow';

import { notForTools } from '../run/operation';
import { toggle } from '../run/parameterValue';

export const phoneField: INodeProperties = {
	displayName: 'Phone Number',
	name: 'phone',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. +7 900 000-00-01',
	description: 'Phone number with country code. Spaces, hyphens, dots and parentheses are allowed.',
};

export const allowedPrefixesField: INodeProperties = {
	displayName: 'Allowed Prefixes',
	name: 'allowedPrefixes',
	type: 'string',
	default: '',
	placeholder: 'e.g. 79, 37529',
	description:
		'Comma-separated prefixes of the allowed numbers. Any other number is refused before it costs anything. Prefer those of mobile numbers, e.g. 79 instead of 7 in Russia.',
	builderHint: {
		propertyHint:
			'Set this whenever the number comes from a form, a chat or a webhook: otherwise strangers can have any number in the world called at your expense. Ask the user which numbers they serve, and prefer prefixes of mobile numbers to whole countries, e.g. 79 instead of 7.',
	},
};

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export const callIdField: INodeProperties = {
	displayName: 'Call ID',
	name: 'uid',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1234567',
	description: 'The vendor_id of the call, from the output of Start',
};

export const hideCodeField: INodeProperties = {
	displayName: 'Hide Code',
	name: 'hideCode',
	type: 'boolean',
	default: false,
	// A tool never returns it.
	displayOptions: notForTools,
	description:
		'Whether to leave the code out of the output, so that a webhook response cannot reveal it',
};

export const hideCode = toggle.optional().default(false);
