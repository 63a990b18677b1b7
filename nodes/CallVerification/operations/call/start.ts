import { z } from 'zod';

import { readCode, readVendorId, startOf, type VendorId } from '../../codes/call';
import { endOf, ofMinutes } from '../../codes/callLimits';
import { pick, text } from '../../contract/fields';
import { initCall, initCallParameters } from '../../contract/methods';
import { anyValue, checkedBy, InputError, parseInput } from '../../contract/request';
import { LostAttempts } from '../../pacing/retry';
import { sleepUntilStopped } from '../../pacing/time';
import {
	assertAllowedPrefix,
	fitsMask,
	type PhoneDigits,
	readPhone,
	readPrefixes,
} from '../../phones/phone';
import { defineOperation, type ItemContext, notForTools } from '../../run/operation';
import { optionsField, withPhone } from '../../run/options';
import type { OutputRecord } from '../../run/output';
import { ServiceError } from '../../transport/errors';
import * as shared from '../sharedFields';
import { maxWaitField, readCall, waitForResult, waitForResultField } from './get';

/** Enough for a model to continue, and to see whether the call was started, now or before. */
const TOOL_FIELDS = 'status vendor_id phone exists called_at next_call_at verification_token'.split(
	' ',
);

/** The service refuses a second call to a number for 15 seconds, also by another delivery. */
const CALLED_A_MOMENT_AGO = 19;
export const MOMENT_MS = 15_000;

const NOBODY_WAS_CALLED =
	'Where “exists” is true, no phone rang now: the call was made before, at “called_at”. With “Cooldown per Number”, the number can be called again from “next_call_at”.';

const RESULT_FIELDS = ['call_status', 'call_state', 'country_code', 'phone_info', 'cost'];

export const start = defineOperation({
	value: 'start',
	name: 'Start',
	action: 'Call person with code',
	description: 'Call a person with a code: the last four digits of the caller ID, or spoken',
	builderHint:
		'Costs money: one call for each input item. For numbers that strangers enter, set allowedPrefixes, cooldown, maxCallsPerNumber, maxCallsPerHour and limitKey in options. Many calls never reach the person although the service reports them as made, so offer a second way: the same call with delivery “voice”, or Inbound Call: Get Number to Call. Try it with the service’s test number 79000000001, which is not billed. Check the code that the person types with Call: Check Code; never compare it with the output’s code in an IF node. In a sub-workflow whose caller may be tried again, pass a UUID v4 made in the caller as options.unique, or each try rings the phone again.',
	costs: 'yes',
	moreOutput: RESULT_FIELDS,
	reserved: ['code'],
	hintBeforeRun: {
		when: '$rawParameter.phone.startsWith("=")',
		message: 'Every input item starts a separate call, so one phone rings per item.',
	},
	fields: [
		shared.notice(
			'costNotice',
			'Every call costs money, except to the service’s test numbers 79000000001 and 79000000002',
		),
		shared.phoneField,
		{
			displayName: 'Delivery',
			name: 'delivery',
			type: 'options',
			options: [
				{
					name: 'Missed Call (Last 4 Digits of the Caller ID)',
					value: 'callerNumber',
					description: 'The phone rings briefly, and the code is the end of the number that called',
				},
				{
					name: 'Spoken Code',
					value: 'voice',
					description: 'The person answers and hears the code. Only in Russia and Kazakhstan.',
				},
				{
					name: 'Both',
					value: 'mix',
					description:
						'The code is spoken and is the last four digits of the caller ID. Only in Russia. Different price.',
				},
			],
			default: 'callerNumber',
			description: 'How the person gets the code',
		},
		waitForResultField,
		{
			...optionsField,
			options: [
				shared.allowedPrefixesField,
				{
					displayName: 'Code',
					name: 'code',
					type: 'string',
					default: '',
					placeholder: 'e.g. 0042',
					displayOptions: notForTools,
					description:
						'Four digits from 0001 to 9999. Leave empty to let the service generate a code.',
				},
				{
					displayName: 'Cooldown per Number (Minutes)',
					name: 'cooldown',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 60 * 24 * 31 },
					default: 0,
					description:
						'How long to wait before the same number is called again by the same delivery. Until then, the first call is returned, with "exists" set to true, unless its code was used. Set to 0 to call every time.',
				},
				{
					displayName: 'Customer ID',
					name: 'client',
					type: 'string',
					default: '',
					placeholder: 'e.g. customer-42',
					description:
						'Your own ID for the person, up to 64 characters, to find the call in the service’s statistics',
				},
				shared.defaultCountryCodeField,
				shared.hideCodeField,
				{
					displayName: 'Idempotency Key',
					name: 'unique',
					type: 'string',
					default: '',
					placeholder: 'e.g. 7f1d2c9e-54b1-4c1c-9e0f-2b8f6a1d3c5e',
					description:
						'UUID v4. Two starts with the same key make only one call. Leave empty to use a key that stays the same when n8n runs the node again. Cannot be combined with a cooldown.',
				},
				shared.includeInputFieldsField,
				...shared.callLimitFields,
				{
					displayName: 'Max Calls per Number and Day',
					name: 'maxCallsPerNumber',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 1_000, numberPrecision: 0 },
					default: 0,
					description:
						'How many calls this node may make to the same number per day (UTC), by any delivery. Further calls are rejected before they cost anything. Set to 0 for no limit.',
				},
				maxWaitField,
			],
		},
	],
	parameters: z
		.object({
			phone: anyValue,
			delivery: z.enum(['callerNumber', 'voice', 'mix']),
			waitForResult: z.boolean(),
			options: initCallParameters.pick({ client: true, unique: true }).extend({
				allowedPrefixes: checkedBy(readPrefixes),
				code: checkedBy(readCode).optional(),
				cooldown: z.number(),
				defaultCountryCode: shared.defaultCountryCode,
				hideCode: z.boolean(),
				includeInputFields: z.boolean(),
				...shared.callLimitOptions,
				maxCallsPerNumber: z.number(),
				maxWait: z.number(),
			}),
		})
		.transform(withPhone(readPhone)),
	output: {
		...initCall.response.fields,
		called_at: text(
			'when the call was made, ISO 8601: now, or before if `exists` is true; `null` if that is unknown',
		),
		next_call_at: text(
			'when **Cooldown per Number** lets this delivery call the number again, up to a sixth later than it is long; `null` without a cooldown',
		),
		verification_token: text(
			'for Check Code: see [The verification token](#the-verification-token)',
		),
	},
	check({ phone, delivery, options }) {
		assertAllowedPrefix(phone, options.allowedPrefixes);
		if (options.unique !== undefined && options.cooldown > 0) {
			throw new InputError(
				'“Idempotency Key” and “Cooldown per Number” cannot be used together',
				'Both decide when no new call is made. Remove one of them.',
			);
		}
		parseInput(initCall.request, { phone, ...flagFor(delivery) });
	},
	async run({ phone, delivery, waitForResult: wait, options }, item) {
		const guards = await item.callGuards();
		const { code, client, cooldown } = options;
		const attempts = new LostAttempts();
		const startWith = async (unique: string) => {
			const request = { phone, code, client, unique, ...flagFor(delivery) };
			const send = async () => await item.send(initCall, request, { attempts });
			return await guards.withinLimits(options, phone, unique, attempts, async () => {
				return cooldown > 0 ? await againAfterMoment(send, item) : await send();
			});
		};
		const isCooling = options.unique === undefined && cooldown > 0;
		const number = guards.digest('cooldown', delivery, phone);
		const keyOfItem = () => options.unique ?? item.idempotencyKey(phone, delivery);
		const { record, startedAt } = isCooling
			? await guards.cooldown.start(number, cooldown, attempts, startWith)
			: { record: await startWith(keyOfItem()), startedAt: undefined };
		const uid = readVendorId(record.vendor_id);
		let calledAt: number | undefined = item.clock.wallTime();
		if (record.exists === true) {
			item.hint(NOBODY_WAS_CALLED);
			calledAt = startedAt;
			if (isCooling && calledAt === undefined) calledAt = await startOfCall(item, uid);
		}
		const nextCallAt =
			isCooling && calledAt !== undefined ? endOf(ofMinutes(cooldown), calledAt) : undefined;
		const isSurelyForPhone = options.unique === undefined || isNewOrFits(record, phone);
		const output = {
			...record,
			called_at: isoTime(calledAt),
			next_call_at: isoTime(nextCallAt),
			verification_token: isSurelyForPhone ? guards.sealToken(uid, phone) : null,
		};
		if (item.isTool) return pick(output, TOOL_FIELDS);
		if (!wait) return output;
		const result = await waitForResult(item, uid, undefined, options.maxWait);
		return {
			...output,
			call_state: 'unknown',
			...pick(result ?? {}, RESULT_FIELDS),
			// The service has said so already, whatever it finds out later.
			...(record.status === false && { call_state: 'failed' }),
		};
	},
});

const flagFor = (delivery: 'callerNumber' | 'voice' | 'mix') =>
	delivery === 'callerNumber' ? {} : { [delivery]: true };

const isoTime = (time: number | undefined) =>
	time === undefined ? null : new Date(time).toISOString();

/**
 * The service may know a user's own key from a call to another number, and a token would then contain the wrong one. If
 * it does not say whether it knows the key, the number that it shows must fit. What nobody can read may be a yes.
 */
function isNewOrFits({ exists, phone: shown }: OutputRecord, phone: PhoneDigits): boolean {
	if (exists === undefined || exists === null) return fitsMask(shown, phone);
	return exists === false;
}

/** Whoever asks for a call by another delivery waits for it anyway. */
async function againAfterMoment<T>(send: () => Promise<T>, item: ItemContext): Promise<T> {
	return await send().catch(async (error: unknown) => {
		if (error instanceof ServiceError && error.code === CALLED_A_MOMENT_AGO) {
			await sleepUntilStopped(item.clock, MOMENT_MS, item.stop);
			if (!item.stop.aborted) return await send();
		}
		throw error;
	});
}

/** Of a call that another process has made; undefined if the service does not say. */
async function startOfCall(item: ItemContext, uid: VendorId): Promise<number | undefined> {
	try {
		const { init_time: initTime } = await readCall(item, uid);
		return startOf(initTime, { now: item.clock.wallTime() });
	} catch {
		// The call is what matters, and it is known.
		return undefined;
	}
}
