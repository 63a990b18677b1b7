import { z } from 'zod';

import { initCall } from '../../api/contract/methods';
import { initCallParameters } from '../../api/contract/requests';
import { checkedBy, parseInput } from '../../api/contract/requestValue';
import { assertAllowedPrefix, readPrefixes } from '../../api/phone';
import { readVendorId } from '../../api/vendorId';
import { includeInputFields, includeInputFieldsField } from '../inputFields';
import { notForTools } from '../notForTools';
import { defineOperation } from '../operation';
import { pick, withoutErrorKey } from '../outputShape';
import { toggle } from '../parameterValue';
import { phoneField } from '../phoneField';
import { maxWait, maxWaitField, waitForResult, waitForResultField } from './callResult';

/** Enough for a model to go on with, and to see whether it has called already. */
const TOOL_FIELDS = ['vendor_id', 'phone', 'exists'];

/** What the result adds to the record of the start. */
const RESULT_FIELDS = ['call_status', 'call_state', 'country_code', 'phone_info', 'cost'];

export const start = defineOperation({
	value: 'start',
	name: 'Start',
	action: 'Call person with code',
	description: 'Call a number; the code is the last four digits of the calling number, or spoken',
	fields: [
		{
			displayName:
				'Every call costs money, except to the service’s test numbers 79000000001 and 79000000002',
			name: 'costNotice',
			type: 'notice',
			default: '',
		},
		phoneField,
		{
			displayName: 'Delivery',
			name: 'delivery',
			type: 'options',
			options: [
				{
					name: 'Caller Number',
					value: 'callerNumber',
					description: 'The code is the last four digits of the number that calls',
				},
				{
					name: 'Mixed (Russia Only)',
					value: 'mix',
					description: 'The code is spoken and in the number that calls, at a price of its own',
				},
				{
					name: 'Voice (Russia and Kazakhstan)',
					value: 'voice',
					description: 'A robot speaks the code',
				},
			],
			default: 'callerNumber',
			description: 'How the person learns the code',
		},
		waitForResultField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Allowed Prefixes',
					name: 'allowedPrefixes',
					type: 'string',
					default: '',
					placeholder: 'e.g. 7, 375',
					description:
						'First digits of the numbers that may be called. Any other number is refused before it costs anything.',
				},
				{
					displayName: 'Client',
					name: 'client',
					type: 'string',
					default: '',
					placeholder: 'e.g. customer-42',
					description:
						'Your own name for the person, up to 64 characters, to find the call in the service’s statistics',
				},
				{
					displayName: 'Code',
					name: 'code',
					type: 'string',
					default: '',
					placeholder: 'e.g. 0042',
					displayOptions: notForTools,
					description: 'Four digits from 0001 to 9999. The service makes a code if this is empty.',
				},
				{
					displayName: 'Idempotency Key',
					name: 'unique',
					type: 'string',
					default: '',
					placeholder: 'e.g. 7f1d2c9e-54b1-4c1c-9e0f-2b8f6a1d3c5e',
					description:
						'Two starts with the same key make one call; a UUID v4. Leave it empty and the node makes a key that stays the same when n8n runs the node again.',
				},
				includeInputFieldsField,
				maxWaitField,
			],
		},
	],
	parameters: initCallParameters.pick({ phone: true }).extend({
		delivery: z.enum(['callerNumber', 'voice', 'mix']),
		waitForResult: toggle,
		options: initCallParameters
			.pick({ client: true, code: true, unique: true })
			.extend({ allowedPrefixes: checkedBy(readPrefixes), includeInputFields, maxWait }),
	}),
	check({ phone, delivery, options }) {
		assertAllowedPrefix(phone, options.allowedPrefixes);
		parseInput(initCall.request, { phone, ...flagFor(delivery) });
	},
	async run({ phone, delivery, waitForResult: wait, options }, item) {
		const record = await item.send(initCall, {
			phone,
			code: options.code,
			client: options.client,
			unique: options.unique ?? item.idempotencyKey(phone, delivery),
			...flagFor(delivery),
		});
		const output = withoutErrorKey(record);
		if (item.isTool) return pick(output, TOOL_FIELDS);
		if (!wait) return output;
		const result = await waitForResult(
			item,
			readVendorId(record.vendor_id),
			undefined,
			options.maxWait,
		);
		return { ...output, call_state: 'unknown', ...pick(result ?? {}, RESULT_FIELDS) };
	},
});

function flagFor(delivery: 'callerNumber' | 'voice' | 'mix') {
	return delivery === 'callerNumber' ? {} : { [delivery]: true };
}
