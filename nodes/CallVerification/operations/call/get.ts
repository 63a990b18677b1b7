import { z } from 'zod';

import { pick } from '../../contract/fields';
import { defineOperation, notForTools } from '../../run/operation';
import { toggle } from '../../run/options';
import {
	callId,
	callIdField,
	hideCodeField,
	includeInputFieldsField,
	simplifyField,
} from '../sharedFields';
import {
	callFields,
	maxWait,
	maxWaitField,
	readCall,
	waitForResult,
	waitForResultField,
} from './callResult';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get call',
	description: 'Get the details and result of a verification call',
	costs: 'no',
	moreOutput: Object.keys(callFields),
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
	parameters: z.object({
		uid: callId,
		waitForResult: toggle,
		simplify: toggle,
		options: z.object({ hideCode: toggle, includeInputFields: toggle, maxWait }),
	}),
	output: pick(callFields, [
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
	]),
	async run({ uid, waitForResult: wait, options }, item) {
		const first = await readCall(item, uid);
		const isWaiting = wait && !item.isTool && first.call_state === 'checking';
		if (!isWaiting) return first;
		return (await waitForResult(item, uid, first, options.maxWait)) ?? first;
	},
});
