import { z } from 'zod';

import { inboundCallWaiting } from '../../api/contract/methods';
import { inboundCallWaitingRequest } from '../../api/contract/requests';
import { defineOperation } from '../operation';
import { withoutErrorKey } from '../outputShape';
import { phoneField } from '../phoneField';

export const start = defineOperation({
	value: 'start',
	name: 'Start',
	action: 'Start waiting for an inbound call',
	description: 'Get a number that the person must call to prove that the phone is theirs',
	fields: [
		phoneField,
		{
			displayName: 'Send the Event To',
			name: 'callbackTarget',
			type: 'options',
			options: [
				{
					name: 'A URL',
					value: 'url',
					description: 'Any web address that takes the event of the service',
				},
			],
			default: 'url',
			description: 'Where the service reports that the call has come',
		},
		{
			displayName: 'Callback URL',
			name: 'callbackUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://example.com/inbound-call',
			description: 'Address that the service can reach from the internet. It is sent as it is.',
		},
	],
	parameters: inboundCallWaitingRequest.pick({ phone: true }).extend({
		callbackTarget: z.enum(['url']),
		callbackUrl: inboundCallWaitingRequest.shape.callback_url,
	}),
	async run({ phone, callbackUrl }, item) {
		return withoutErrorKey(
			await item.send(inboundCallWaiting, { phone, callback_url: callbackUrl }),
		);
	},
});
