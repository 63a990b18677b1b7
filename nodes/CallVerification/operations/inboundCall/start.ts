import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { text } from '../../contract/fields';
import { inboundCallWaiting } from '../../contract/methods';
import { anyValue, checkedBy, InputError } from '../../contract/request';
import { readReference } from '../../inbound/callbackSeal';
import {
	executionCallback,
	isPasted,
	isPrivateHost,
	readCallbackUrl,
	targetIdOf,
	triggerCallback,
} from '../../inbound/callbackUrl';
import { LostAttempts } from '../../pacing/retry';
import { assertAllowedPrefix, readPhone, readPrefixes } from '../../phones/phone';
import { defineOperation, notForTools } from '../../run/operation';
import type { ItemContext, Surroundings } from '../../run/operation';
import { optionsField, plainText, withPhone } from '../../run/options';
import { withoutQuery } from '../../transport/redact';
import * as shared from '../sharedFields';

const callbackUrlField: INodeProperties = {
	displayName: 'Callback URL',
	name: 'callbackUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/inbound-call',
};

/** “Notify Any URL” sends the URL unchanged, without a signature that could expire or carry a reference. */
const forSealedCallbacks: IDisplayOptions = {
	show: { '/callbackTarget': ['trigger', 'execution'] },
};

export const start = defineOperation({
	value: 'start',
	name: 'Get Number to Call',
	action: 'Get number to call',
	description: 'Get a number that the person calls to prove that the phone is theirs',
	builderHint:
		'May cost money, depending on the tariff. Show confirmation_number to the person with a plus in front. The phone is verified only when the call arrives: use callbackTarget “trigger” with a published Call Verification Trigger, or “execution” followed by Inbound Call: Wait.',
	costs: 'varies',
	// Always shown, because in the editor's expressions every workflow is unpublished.
	hintBeforeRun: {
		when: '$parameter.callbackTarget === "trigger" && !$rawParameter.callbackUrl',
		message:
			'Without a “Callback URL”, this only works in a published workflow that has a Call Verification Trigger. Until then, paste the URL of a trigger.',
	},
	fields: [
		shared.phoneField,
		{
			displayName: 'When the Person Calls',
			name: 'callbackTarget',
			type: 'options',
			options: [
				{
					name: 'Start a Workflow with a Trigger',
					value: 'trigger',
					description:
						'The call starts a workflow with a Call Verification Trigger. Forged events are rejected.',
				},
				{
					name: 'Continue This Execution',
					value: 'execution',
					description: 'The call continues this execution at “Inbound Call: Wait”',
					displayOptions: notForTools,
				},
				{
					name: 'Notify Any URL',
					value: 'url',
					description:
						'The service posts the event to a URL you enter, without protection against forgery',
				},
			],
			default: 'trigger',
			builderHint: {
				propertyHint:
					'“trigger” needs a workflow with a Call Verification Trigger that is published before this runs. “execution” needs Inbound Call: Wait later in the same branch, for one item. “url” is not protected against forged events.',
			},
			description: 'What happens when the call arrives',
		},
		{
			...callbackUrlField,
			description:
				'Production URL of the trigger. Leave empty to use the published trigger of this workflow.',
			displayOptions: { show: { callbackTarget: ['trigger'] } },
		},
		{
			...callbackUrlField,
			required: true,
			description: 'URL that the service can reach from the internet. It is sent unchanged.',
			displayOptions: { show: { callbackTarget: ['url'] } },
		},
		{
			...optionsField,
			options: [
				shared.allowedPrefixesField,
				shared.defaultCountryCodeField,
				{
					displayName: 'Expires After (Minutes)',
					name: 'expiresAfter',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 60 * 24 * 31 },
					default: 10,
					displayOptions: forSealedCallbacks,
					description:
						'How long the person has to call. Later calls are not accepted. The service itself may stop waiting after a minute or two.',
				},
				shared.includeInputFieldsField,
				...shared.callLimitFields,
				{
					displayName: 'Reference',
					name: 'reference',
					type: 'string',
					default: '',
					placeholder: 'e.g. contact-42',
					displayOptions: forSealedCallbacks,
					description:
						'Your own text that is returned with the call, up to 500 characters, such as a contact ID',
				},
			],
		},
	],
	parameters: z
		.object({
			phone: anyValue,
			callbackTarget: z.enum(['trigger', 'execution', 'url']),
			callbackUrl: anyValue,
			options: z.object({
				allowedPrefixes: checkedBy(readPrefixes),
				defaultCountryCode: shared.defaultCountryCode,
				expiresAfter: z.number(),
				includeInputFields: z.boolean(),
				...shared.callLimitOptions,
				reference: plainText('Reference').pipe(checkedBy(readReference)).optional(),
			}),
		})
		.transform(withPhone(readPhone)),
	output: {
		...inboundCallWaiting.response.fields,
		callback_url: text('where the event will go, without its signature'),
		expires_at: text('until when an event is accepted; `null` for Notify Any URL'),
	},
	check({ phone, callbackTarget, callbackUrl, options }, surroundings) {
		assertAllowedPrefix(phone, options.allowedPrefixes);
		if (surroundings.isTool && callbackTarget === 'execution') {
			throw new InputError(
				'A tool’s execution cannot wait for an inbound call',
				'Set “When the Person Calls” to “Start a Workflow with a Trigger”.',
			);
		}
		callbackFor(callbackTarget, callbackUrl, surroundings);
	},
	async run({ phone, callbackTarget, callbackUrl, options }, item) {
		const url = callbackFor(callbackTarget, callbackUrl, item);
		if (callbackTarget === 'trigger' && !isPasted(callbackUrl)) await item.confirmOwnTrigger(url);
		await warnIfUnreachable(url, callbackTarget, item);
		const { reference = '', expiresAfter } = options;
		const isSealed = callbackTarget !== 'url';
		const expiresAt = Math.floor(item.clock.wallTime() / 1_000 + expiresAfter * 60);
		const validity = {
			expiresAt: expiresAt * 1_000,
			isOfExecution: callbackTarget === 'execution',
		};
		const record = await item.once(['inboundCall', phone, url, reference], validity, async () => {
			const seal = { phone: String(phone), expiresAt, reference, target: targetIdOf(url) };
			const callback_url = isSealed ? await item.sealCallback(url, seal) : url;
			const guards = await item.callGuards();
			const attempts = new LostAttempts();
			// There is no idempotency key, so each request counts.
			const started = await guards.withinLimits(options, phone, {}, attempts, async () => {
				return await item.send(inboundCallWaiting, { phone, callback_url }, { attempts });
			});
			return {
				...started,
				// Without the seal, so that nobody who reads the execution's data can forge the event.
				callback_url: isSealed ? withoutQuery(url) : url,
				expires_at: isSealed ? new Date(expiresAt * 1_000).toISOString() : null,
			};
		});
		if (callbackTarget === 'execution') {
			item.rememberRequest({
				callId: String(record.vendor_id),
				phone: String(phone),
				confirmationNumber: String(record.confirmation_number),
			});
		}
		return record;
	},
});

function callbackFor(
	target: 'trigger' | 'execution' | 'url',
	entered: unknown,
	surroundings: Surroundings,
): string {
	if (target === 'url') return readCallbackUrl(entered);
	const known = surroundings.callbackSurroundings();
	return target === 'execution' ? executionCallback(known) : triggerCallback(entered, known);
}

async function warnIfUnreachable(url: string, target: string, item: ItemContext): Promise<void> {
	if (!isPrivateHost(url) || (await item.isServicePrivate())) return;
	const advice =
		target === 'url'
			? 'Enter a URL that the service can reach.'
			: 'Set n8n’s environment variable N8N_WEBHOOK_URL to its public address.';
	item.hint(
		`The service will report the call to ${new URL(url).host}, which cannot be reached from the internet. ${advice}`,
	);
}
