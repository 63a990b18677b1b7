import { z } from 'zod';

import { flag } from '../../contract/fields';
import { InputError } from '../../contract/request';
import { eventFields } from '../../inbound/inboundEvent';
import { defineOperation } from '../../run/operation';
import { optionsField, plainText } from '../../run/options';
import { callId, callIdField, notice } from '../sharedFields';

export const wait = defineOperation({
	value: 'wait',
	name: 'Wait',
	action: 'Wait for inbound call',
	description: 'Pause this execution until the person calls or the time is up',
	builderHint:
		'Takes one item; for more, call a sub-workflow for each. Place it after Inbound Call: Get Number to Call with callbackTarget “execution”, with a node in between that shows the person the number. Put nothing slow and no page that waits for a click in between: a call that arrives before the execution waits is lost. If that cannot be avoided, use a Call Verification Trigger. Branch on received: it is false if no call arrives in time.',
	costs: 'no',
	isForTools: false,
	fields: [
		notice(
			'waitNotice',
			'Requires an earlier “Inbound Call: Get Number to Call” set to “Continue This Execution”. In between, show the person the number, and do nothing slow: a call that arrives before the execution waits here is lost.',
		),
		{
			...callIdField,
			default: '={{ $json.vendor_id }}',
			description: 'The vendor_id of the call to wait for, from the output of Get Number to Call',
		},
		{
			displayName: 'Wait Up To (Minutes)',
			name: 'limitWaitTime',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 60 * 24 * 31 },
			// Services wait for a call for minutes at most, so a longer wait would only keep people waiting.
			default: 10,
			description:
				'How long to wait for the call. If none arrives, the execution continues with "received" set to false. n8n checks once a minute, so this may take up to a minute longer.',
		},
		{
			...optionsField,
			options: [
				{
					displayName: 'Waiting Page',
					name: 'waitingPage',
					type: 'string',
					typeOptions: { rows: 4 },
					default: '',
					placeholder: 'e.g. <h1>Please call +7 495 000-00-00</h1>',
					description:
						'HTML to show visitors of an n8n form who reload the page while the execution waits. The page updates automatically when the execution continues.',
				},
			],
		},
	],
	parameters: z.object({
		uid: callId,
		limitWaitTime: z.number(),
		options: z.object({ waitingPage: plainText('Waiting Page').optional() }),
	}),
	output: { received: flag('whether the person called in time'), ...eventFields },
	check(_parameters, { isTool, itemCount }) {
		if (isTool) {
			throw new InputError(
				'A tool cannot wait for an inbound call',
				'Instead, give the agent “Inbound Call: Get Number to Call” and set “When the Person Calls” to “Start a Workflow with a Trigger”.',
			);
		}
		if (itemCount > 1) {
			throw new InputError(
				`${itemCount} items were received, but an execution can wait for only one call`,
				'Call a sub-workflow once for each item, or add “Loop Over Items” with a batch size of 1 before this node.',
			);
		}
	},
	async run({ uid, limitWaitTime }, item) {
		const call = item.requestedCall(String(uid));
		if (call === undefined) {
			throw new InputError(
				'This execution has not requested the call, so it cannot wait for it',
				'Run “Inbound Call: Get Number to Call” earlier in the same execution, with “When the Person Calls” set to “Continue This Execution”, and enter its vendor_id as “Call ID”.',
			);
		}
		const until = new Date(item.clock.wallTime() + limitWaitTime * 60_000);
		return await item.suspend(until, call, { received: false });
	},
});
