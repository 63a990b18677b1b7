import { checkPhone } from '../../api/contract/methods';
import { checkPhoneRequest } from '../../api/contract/requests';
import { defineOperation } from '../operation';
import { isSaid, pick, withoutErrorKey } from '../outputShape';
import { toggle } from '../parameterValue';
import { simplifyField } from '../simplifyField';

const SIMPLE_FIELDS = [
	'source',
	'valid',
	'reason',
	'phone',
	'phone_format',
	'mobile',
	'country_iso',
	'provider',
	'region',
	'cost',
];

export const check = defineOperation({
	value: 'check',
	name: 'Check',
	action: 'Check a phone number',
	description: 'Find out whether a number is valid, and its operator, country and region',
	fields: [
		{
			displayName: 'Phone Number',
			name: 'phone',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. +7 900 000-00-01',
			description: 'Number in any form; the service reads it as it is. Every check costs money.',
		},
		simplifyField,
	],
	parameters: checkPhoneRequest.extend({ simplify: toggle }),
	async run({ phone, simplify }, item) {
		const record = await item.send(checkPhone, { phone });
		const output = {
			reason: null,
			...withoutErrorKey(record),
			source: record.source ?? phone,
			valid: !isSaid(record.error),
		};
		return simplify ? pick(output, SIMPLE_FIELDS) : output;
	},
});
