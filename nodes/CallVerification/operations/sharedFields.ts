import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { readVendorId } from '../codes/call';
import { checkedBy } from '../contract/request';
import { readCountryCode } from '../phones/countryCode';
import { notForTools } from '../run/operation';
import { plainText } from '../run/options';

export const notice = (name: string, displayName: string): INodeProperties => ({
	displayName,
	name,
	type: 'notice',
	default: '',
});

export const phoneField: INodeProperties = {
	displayName: 'Phone Number',
	name: 'phone',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. +7 900 000-00-01',
	description: 'Phone number with country code. Spaces, hyphens, dots and parentheses are allowed.',
};

export const defaultCountryCodeField: INodeProperties = {
	displayName: 'Default Country Code',
	name: 'defaultCountryCode',
	type: 'string',
	default: '',
	placeholder: 'e.g. 7',
	builderHint: {
		propertyHint:
			'Set this if people write their numbers without a country code. Ask the user which country the numbers are from.',
	},
	description:
		'Country code to add to local numbers. With 7, 8 (900) 000-00-01 and 900 000-00-01 become +7 900 000-00-01; with 375, 8 029 000-00-00 becomes +375 29 000-00-00. Numbers of other countries need a plus.',
};

export const defaultCountryCode = checkedBy(readCountryCode).optional();

export const COUNTRY_CODE_HINT =
	'Some numbers have eleven digits and begin with 8. They were sent as written. If they are from Russia or Kazakhstan, add “Default Country Code” under Options and set it to 7.';

export const maxTotalCostField: INodeProperties = {
	displayName: 'Max Total Cost',
	name: 'maxTotalCost',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1_000_000_000 },
	default: 0,
	builderHint: {
		propertyHint:
			'Set this for every list, in the currency of the account. Ask the user how much one run may cost.',
	},
	description:
		'Maximum total cost of the checks in this run. Numbers beyond it are not checked. A lost response or unreadable price counts as the highest so far; without one, the run ends. Set to 0 for no limit.',
};

export const allowedPrefixesField: INodeProperties = {
	displayName: 'Allowed Prefixes',
	name: 'allowedPrefixes',
	type: 'string',
	default: '',
	placeholder: 'e.g. 79, 37529',
	description:
		'Comma-separated prefixes of the allowed numbers. Any other number is rejected before it costs anything. Prefer those of mobile numbers, e.g. 79 instead of 7 in Russia.',
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

export const callId = checkedBy(readVendorId);

/** Like Hide Code: adding it to an operation's options is enough; the run does the rest. */
export const includeInputFieldsField: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: false,
	displayOptions: notForTools,
	description:
		'Whether to also return the fields of the input item. If the result has a field of the same name, such as phone, the input’s is returned as input_phone.',
};

export const hideCodeField: INodeProperties = {
	displayName: 'Hide Code',
	name: 'hideCode',
	type: 'boolean',
	default: false,
	displayOptions: notForTools,
	description:
		'Whether to leave the code out of the output, so that a webhook response cannot reveal it',
};

const limitKeyField: INodeProperties = {
	displayName: 'Limit Key',
	name: 'limitKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. 203.0.113.7',
	builderHint: {
		propertyHint:
			'An expression for who asks for the call, e.g. the visitor’s IP address as your reverse proxy reports it, or your site’s session ID. Never a value that a visitor can choose.',
	},
	description:
		'Who asks for the call, as an expression: e.g. the visitor’s IP address or session. Each key may start only a few calls per hour, so that one visitor cannot use up “Max Calls per Hour” for everyone.',
};

const maxCallsPerHourField: INodeProperties = {
	displayName: 'Max Calls per Hour',
	name: 'maxCallsPerHour',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 10_000, numberPrecision: 0 },
	default: 0,
	builderHint: {
		propertyHint:
			'Caps what an attack can cost. Set it in every workflow that strangers can start.',
	},
	description:
		'How many calls this node may start per hour. Further calls are rejected before they cost anything. Set to 0 for no limit.',
};

const maxCallsPerKeyField: INodeProperties = {
	displayName: 'Max Calls per Hour and Key',
	name: 'maxCallsPerKey',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 10_000, numberPrecision: 0 },
	default: 5,
	description:
		'How many calls this node may start per hour for the same “Limit Key”. Has no effect without a limit key. Set to 0 for no limit.',
};

export const callLimitFields = [limitKeyField, maxCallsPerHourField, maxCallsPerKeyField];

export const callLimitOptions = {
	limitKey: plainText('Limit Key').optional(),
	maxCallsPerHour: z.number(),
	maxCallsPerKey: z.number(),
};
