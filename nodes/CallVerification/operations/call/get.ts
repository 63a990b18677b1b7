import { z } from 'zod';

import { callReference } from '../../api/contract/requests';
import { includeInputFields, includeInputFieldsField } from '../../run/inputFields';
import { defineOperation, notForTools } from '../../run/operation';
import { pick } from '../../run/outputShape';
import { toggle } from '../../run/parameterValue';
import { callIdField, hideCode, hideCodeField, simplifyField, withoutCode } from '../sharedFields';
import { maxWait, maxWaitField, readCall, waitForResult, waitForResultField } from './callResult';

const SIMPLE_FIELDS = [
	'vendor_id',
	'call_status',
	'call_state',
	'init_time',
	'phone',
	'code',
	'client',
	'country_code',
	'phone_info',
	'cost',
];

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get call',
	description: 'Get the details and result of a verification call',
	reserved: ['code'],
	fields: [
		callIdField,
		waitForResultField,
		simplifyField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions: notForTools,
			options: [hideCodeField, includeInputFieldsField, maxWaitField],
		},
	],
	parameters: callReference.extend({
		waitForResult: toggle,
		simplify: toggle,
		options: z.object({ hideCode, includeInputFields, maxWait }),
	}),
	async run({ uid, waitForResult: wait, simplify, options }, item) {
		const first = await readCall(item, uid);
		const isWaiting = wait && !item.isTool && first.call_state === 'checking';
		const record = isWaiting ? await waitForResult(item, uid, first, options.maxWait) : first;
		const output = record ?? first;
		const shown = simplify ? pick(output, SIMPLE_FIELDS) : output;
		return withoutCode(shown, item.isTool || options.hideCode);
	},
});
