import { z } from 'zod';

import { expiryOf, readCallOrToken, readTypedCode, startOf } from '../../codes/call';
import type { Obstacle } from '../../codes/codeChecks';
import { flag, number, pick, text } from '../../contract/fields';
import { checkedBy, InputError } from '../../contract/request';
import { defineOperation } from '../../run/operation';
import { optionsField } from '../../run/options';
import { ServiceError } from '../../transport/errors';
import { callIdField, includeInputFieldsField } from '../sharedFields';
import { callFields, readCall } from './get';

const CALL_FIELDS = ['vendor_id', 'call_status', 'call_state', 'phone', 'init_time'];

export const checkCode = defineOperation({
	value: 'checkCode',
	name: 'Check Code',
	action: 'Check code typed by person',
	description: 'Check the code a person typed against the code of the call, without revealing it',
	builderHint:
		'Use this instead of comparing codes yourself: it limits the attempts and accepts each code only once. Pass the verification_token from Call: Start as uid, and turn on requireToken when strangers can choose the call. If it is in a sub-workflow, leave “Retry On Fail” off in the node that calls it: each try would use up an attempt.',
	costs: 'no',
	reserved: ['code'],
	fields: [
		{
			...callIdField,
			displayName: 'Call ID or Token',
			description: 'The verification_token or the vendor_id of the call, from the output of Start',
		},
		{
			displayName: 'Code',
			name: 'code',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 0042',
			description: 'The four digits the person typed',
		},
		{
			...optionsField,
			options: [
				includeInputFieldsField,
				{
					displayName: 'Max Attempts',
					name: 'maxAttempts',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
					default: 5,
					description:
						'How many codes a person can try per call. Manual executions do not count. Set to 0 for no limit.',
				},
				{
					displayName: 'Max Wrong Codes per Number and Day',
					name: 'maxWrongPerDay',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 1_000, numberPrecision: 0 },
					default: 20,
					description:
						'How many wrong codes a phone number may get per day (UTC), over all its calls. Then even the right code is rejected until the day ends. Has no effect without a token. Set to 0 for no limit.',
				},
				{
					displayName: 'Require Token',
					name: 'requireToken',
					type: 'boolean',
					default: false,
					description:
						'Whether to accept only tokens, not call IDs, so that nobody can use up someone else’s attempts',
				},
				{
					displayName: 'Valid For (Minutes)',
					name: 'validFor',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 60 * 24 * 31 },
					default: 10,
					description:
						'How long the code is accepted after the call is started. Set to 0 for no limit.',
				},
			],
		},
	],
	parameters: z.object({
		uid: checkedBy(readCallOrToken),
		code: checkedBy(readTypedCode),
		options: z.object({
			includeInputFields: z.boolean(),
			maxAttempts: z.number(),
			maxWrongPerDay: z.number(),
			requireToken: z.boolean(),
			validFor: z.number(),
		}),
	}),
	output: {
		matched: flag('whether the code is right'),
		reason: text('`null` when matched, else [why not](#why-a-code-is-refused)'),
		attempts_left: number(
			'how many codes may still be tried for this call, or for the number today; `null` without a limit',
		),
		...pick(callFields, CALL_FIELDS),
		verified_phone: text(
			'the number in full, when the code matched and a token was given; else `null`',
		),
	},
	check({ uid: { token }, options }) {
		if (!options.requireToken || token !== undefined) return;
		throw new InputError(
			'This node requires a verification token, but got a call ID',
			'Use the “verification_token” that “Call: Start” returned, e.g. {{ $json.verification_token }}.',
		);
	},
	async run({ uid: call, code: typed, options }, item) {
		const guards = await item.callGuards();
		const { uid, phone, issuedAt } =
			call.token === undefined
				? { uid: call.uid, phone: null, issuedAt: undefined }
				: guards.openToken(call.token);
		const record = await readCall(item, uid);
		const { code: actual, init_time: initTime, call_state: state } = record;
		if (typeof actual !== 'string' || actual === '') {
			throw new ServiceError('The verification service did not return a code for this call', {
				failure: 'refused',
				advice: 'Check the call ID. Only calls made by “Call: Start” have a code.',
			});
		}
		const now = item.clock.wallTime();
		const startedAt = startOf(initTime, { now, issuedAt });
		const hasFailed = state === 'failed';
		// The code of a failed call is not compared, so it does not matter when that was started.
		const expiresAt = hasFailed ? now : expiryOf(startedAt, options.validFor);
		let obstacle: Obstacle | undefined;
		if (hasFailed) obstacle = 'callFailed';
		else if (now >= expiresAt) obstacle = 'expired';
		const verdict = await guards.codeChecks.check({
			call: guards.digest('call', String(record.vendor_id), Number(initTime)),
			actual,
			typed,
			obstacle,
			maxAttempts: options.maxAttempts,
			phone: phone === null ? undefined : guards.digest('phone', phone),
			maxWrongPerDay: options.maxWrongPerDay,
			startedAt,
			expiresAt,
		});
		const matched = verdict.reason === null;
		if (matched) await guards.cooldown.end(uid);
		return {
			matched,
			...verdict,
			...pick(record, CALL_FIELDS),
			// The service never returns the full number: only a token contains it, and only the right code proves it.
			verified_phone: matched ? phone : null,
		};
	},
});
