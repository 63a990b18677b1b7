import type { IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readFlag } from '../contract/fields';
import { InputError } from '../contract/request';
import { isTest, registerTrigger, targetIdOf } from './callbackUrl';
import {
	type AcceptedEvent,
	alwaysRespond,
	claimOnce,
	eventOutput,
	readSealedEvent,
	readUnsealedEvent,
	RejectedEvent,
	rejectedSeal,
	respond,
} from './inboundEvent';
import { parseIpAllowlist } from './ipAllowlist';

type TriggerOptions = Readonly<Record<string, unknown>>;
type TriggerSettings = ReturnType<typeof readTriggerSettings>;

/** Starts the workflow for a genuine event; anything else only gets a response. */
export async function receiveEvent(
	context: IWebhookFunctions,
	readOptions: () => TriggerOptions,
	now: number,
): Promise<IWebhookResponseData> {
	return await alwaysRespond(context, now, async () => {
		const settings = readTriggerSettings(context, readOptions());
		const accepted = await readEvent(context, settings, now);
		registerTrigger(context);
		// In the editor, the user wants to see the event each time.
		const isOnce = !isTest(context) && (settings.isSealed || settings.ignoreDuplicates);
		const trigger = [String(context.getWorkflow().id), context.getNode().id];
		// Last, so that nothing can fail after it and lose the event.
		const claimed = isOnce ? claimOnce(context, trigger, accepted, now) : 'first';
		if (claimed === 'repeated') return respond(context, 200, { accepted: true, duplicate: true });
		if (claimed === 'conflicting') throw rejectedSeal('used');
		return {
			webhookResponse: { accepted: true },
			workflowData: [[{ json: eventOutput(accepted, now) }]],
		};
	});
}

/** Throws if the settings do not protect the trigger as intended. */
export function readTriggerSettings(
	context: IWebhookFunctions | IHookFunctions,
	{ ignoreDuplicates = true, ipAllowlist = '', issuers = '' }: TriggerOptions,
) {
	// Expressions may return text.
	const isIgnored = readFlag(ignoreDuplicates);
	if (typeof isIgnored !== 'boolean') {
		throw new InputError(
			'“Ignore Duplicates” is neither true nor false',
			'Check the expression in this field.',
		);
	}
	return {
		isSealed: context.getNodeParameter('eventAuthentication', 'signature') !== 'none',
		ignoreDuplicates: isIgnored,
		/** Undefined if any address may send events. */
		isAllowed: parseIpAllowlist(String(ipAllowlist)),
		/** Workflows whose calls are accepted. If there are none, every workflow. */
		issuers: Array.from(String(issuers).match(/[^\s,;]+/g) ?? []),
	};
}

async function readEvent(
	context: IWebhookFunctions,
	{ isSealed, isAllowed, issuers }: TriggerSettings,
	now: number,
): Promise<AcceptedEvent> {
	if (isAllowed !== undefined && !isAllowed(context.getRequestObject().ip)) {
		throw new RejectedEvent(403, 'Events from this address are not accepted');
	}
	if (!isSealed) return { event: readUnsealedEvent(context), seal: null };
	const target = targetIdOf(context.getNodeWebhookUrl('default') ?? '');
	const accepted = await readSealedEvent(context, target, now);
	if (issuers.length > 0 && !issuers.includes(accepted.seal.issuer)) throw rejectedSeal('issuer');
	return accepted;
}
