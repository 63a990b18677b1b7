import { z } from 'zod';

import { InputError } from '../../api/errors';
import { callReference, phone } from '../../api/contract/parameter';
import { eventFields } from '../../inbound/inboundRequest';
import { defineOperation } from '../../run/operation';
import { minutes, plainText } from '../../run/parameterValue';
import { phoneField } from '../sharedFields';

const DEFAULT_LIMIT = 60;
const MOST_LIMIT = 60 * 24 * 31;

export const wait = defineOperation({
	value: 'wait',
	name: 'Wait',
	action: 'Wait for inbound call',
	description: 'Suspend this execution until the person has called, or the limit is over',
	builderHint:
		'Takes one item; for more, call a sub-workflow for each. Comes after Inbound Call: Start with callbackTarget “execution”, with a node between them that shows the person the number. Branch on received: it is false when nobody has called in time.',
	costs: 'no',
	isForTools: false,
	fields: [
		{
			displayName:
				'Needs an earlier Inbound Call: Start that sends its event to “This Execution”. Between the two, show the person the number to call.',
			name: 'waitNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Call ID',
			name: 'uid',
			type: 'string',
			required: true,
			default: '={{ $json.vendor_id }}',
			placeholder: 'e.g. 1234567',
			description: 'The vendor_id of the awaited call, from the output of Start',
		},
		{
			...phoneField,
			description: 'The person’s number, the same as in Start',
		},
		{
			displayName: 'Limit Wait Time (Minutes)',
			name: 'limitWaitTime',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MOST_LIMIT },
			default: DEFAULT_LIMIT,
			description:
				'When no call has come by then, the execution goes on with received: false. n8n looks once a minute, so it may be up to a minute late.',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Waiting Page',
					name: 'waitingPage',
					type: 'string',
					typeOptions: { rows: 4 },
					default: '',
					placeholder: 'e.g. <h1>Please call +7 495 000-00-00</h1>',
					description:
						'HTML for visitors of an n8n form who reload its page while the execution waits. The page changes by itself when the execution goes on.',
				},
			],
		},
	],
	parameters: callReference.extend({
		phone,
		limitWaitTime: minutes('Limit Wait Time', MOST_LIMIT),
		options: z.object({ waitingPage: plainText('Waiting Page').optional() }),
	}),
	output: {
		received: { type: 'boolean', meaning: 'the call came; `false`: the limit was over first' },
		...eventFields,
	},
	check(_parameters, { isTool, itemCount }) {
		if (isTool) {
			throw new InputError(
				'A tool cannot wait for an inbound call',
				'Give the agent “Inbound Call: Start” with the target “A Call Verification Trigger” instead.',
			);
		}
		if (itemCount > 1) {
			throw new InputError(
				`${itemCount} items came in, but an execution can wait for one call only`,
				'Call a sub-workflow once for each item, or put “Loop Over Items” with a batch size of 1 in front.',
			);
		}
	},
	async run({ limitWaitTime }, item) {
		return await item.suspend(new Date(item.clock.wallTime() + limitWaitTime * 60_000), {
			received: false,
		});
	},
});
