import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { callStateOf, type VendorId } from '../../codes/call';
import { pick, text } from '../../contract/fields';
import { getInfo } from '../../contract/methods';
import { sleepUntilStopped } from '../../pacing/time';
import { defineOperation, type ItemContext, notForTools } from '../../run/operation';
import { optionsField } from '../../run/options';
import type { OutputRecord } from '../../run/output';
import * as shared from '../sharedFields';

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 5_000;
const PAUSE_GROWTH = 1.5;
/** The last poll starts this long before the limit, so that its response still arrives within it. */
const TIME_TO_POLL = 1_000;

export const waitForResultField: INodeProperties = {
	displayName: 'Wait for Result',
	name: 'waitForResult',
	type: 'boolean',
	default: false,
	displayOptions: notForTools,
	description:
		'Whether to wait for the result of the call, which takes up to a minute. "Completed" means that the call was made, not that a phone rang.',
};

export const maxWaitField: INodeProperties = {
	displayName: 'Max Wait (Seconds)',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 600 },
	// The service needs "1 second to 1 minute", so this covers nearly every result.
	default: 75,
	displayOptions: { ...notForTools, show: { '/waitForResult': [true] } },
	description:
		'How long to wait for the result. If there is no result by then, call_state is "checking".',
};

export const callFields = {
	...getInfo.response.fields,
	call_state: text(
		'`checking`, `failed`, or `completed`: the call was made, whether or not a phone rang; `unknown` for any other status',
	),
};

const SIMPLIFIED =
	'vendor_id call_status call_state init_time phone code client country_code phone_info cost';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get call',
	description: 'Get the details and result of a verification call',
	costs: 'no',
	moreOutput: Object.keys(callFields),
	reserved: ['code'],
	fields: [
		shared.callIdField,
		waitForResultField,
		shared.simplifyField,
		{
			...optionsField,
			displayOptions: notForTools,
			options: [shared.hideCodeField, shared.includeInputFieldsField, maxWaitField],
		},
	],
	parameters: z.object({
		uid: shared.callId,
		waitForResult: z.boolean(),
		simplify: z.boolean(),
		options: z.object({
			hideCode: z.boolean(),
			includeInputFields: z.boolean(),
			maxWait: z.number(),
		}),
	}),
	output: pick(callFields, SIMPLIFIED.split(' ')),
	async run({ uid, waitForResult: wait, options }, item) {
		const first = await readCall(item, uid);
		const isWaiting = wait && !item.isTool && first.call_state === 'checking';
		if (!isWaiting) return first;
		return (await waitForResult(item, uid, first, options.maxWait)) ?? first;
	},
});

export async function readCall(
	item: Pick<ItemContext, 'send'>,
	uid: VendorId,
	deadline?: number,
): Promise<OutputRecord> {
	const record = await item.send(getInfo, { uid }, { deadline });
	return { ...record, call_state: callStateOf(record) };
}

/**
 * Polls with growing pauses until the call has a result. Returns the last record, or `known` if there is none. A failed
 * poll ends the waiting without an error, because the data of a call that was made must not be lost.
 */
export async function waitForResult(
	item: Pick<ItemContext, 'send' | 'clock' | 'stop' | 'warn'>,
	uid: VendorId,
	known: OutputRecord | undefined,
	limit: number,
): Promise<OutputRecord | undefined> {
	const deadline = item.clock.now() + limit * 1_000;
	const lastPollAt = deadline - Math.min(TIME_TO_POLL, (limit * 1_000) / 2);
	let latest = known;
	for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * PAUSE_GROWTH, LONGEST_PAUSE)) {
		const left = lastPollAt - item.clock.now();
		await sleepUntilStopped(item.clock, Math.max(0, Math.min(pause, left)), item.stop);
		if (item.stop.aborted) return latest;
		try {
			latest = await readCall(item, uid, deadline);
		} catch (error) {
			if (item.clock.now() >= deadline) return latest;
			const why = error instanceof Error ? error.message : '';
			item.warn(`Stopped waiting for a call’s result: ${why}`);
			return latest;
		}
		if (latest.call_state !== 'checking' || left <= pause) return latest;
	}
}
