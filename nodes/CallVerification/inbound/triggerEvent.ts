import type {
	IHookFunctions,
	INodeProperties,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readFlag } from '../contract/fields';
import { InputError } from '../contract/request';
import { givenOptions } from '../run/guards';
import type { Claim, ClaimResult } from './handledEvents';
import { HandledEvents } from './handledEvents';
import { type IpMatcher, parseIpAllowlist } from './ipAllowlist';
import { readCredential } from '../transport/credential';
import { targetOf } from './callback';
import type { Acceptance, Rejection } from './inboundRequest';
import {
	alwaysAnswer,
	answer,
	eventOutput,
	readSealedEvent,
	readUnsealedEvent,
	refuse,
	reject,
	rejectSeal,
	unlessAccepted,
} from './inboundRequest';
import { isTest, registerTrigger } from './triggerRegistry';

const ONE_DAY = 24 * 60 * 60;

/**
 * Best effort: per process, bounded. An exact filter needs storage that all processes share. Kept separately, so that a
 * flood of unsigned events, which anyone can send, does not push out used seals.
 */
const usedSeals = new HandledEvents();
const reportedCalls = new HandledEvents();

interface TriggerSettings {
	isSealed: boolean;
	ignoreDuplicates: boolean;
	/** Undefined if any address may send events. */
	isAllowed: IpMatcher | undefined;
	/** Workflows whose calls are accepted. If there are none, every workflow. */
	issuers: readonly string[];
}

/** Starts the workflow for a genuine event; anything else only gets a response. */
export async function receiveEvent(
	context: IWebhookFunctions,
	optionsField: INodeProperties,
	now: () => number,
): Promise<IWebhookResponseData> {
	return await alwaysAnswer(
		context,
		now,
		async () => await receive(context, readTriggerSettings(context, optionsField), now()),
	);
}

async function receive(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	now: number,
): Promise<IWebhookResponseData> {
	const reading = await readEvent(context, settings, now);
	if (!reading.ok) return refuse(context, reading, now);
	if (!isTest(context)) registerTrigger(context);
	// Last, so that nothing can fail after it and lose the event.
	const claimed = claim(context, reading, settings, now);
	if (claimed === 'repeated') return answer(context, 200, { accepted: true, duplicate: true });
	if (claimed === 'conflicting') return refuse(context, rejectSeal('used'), now);
	return {
		webhookResponse: { accepted: true },
		workflowData: [[{ json: eventOutput(reading, now) }]],
	};
}

function claim(
	context: IWebhookFunctions,
	reading: Acceptance,
	{ ignoreDuplicates }: TriggerSettings,
	now: number,
): ClaimResult {
	// In the editor, the user wants to see the event each time.
	if (isTest(context)) return 'first';
	const { seal } = reading;
	if (seal === null && !ignoreDuplicates) return 'first';
	const memory = seal === null ? reportedCalls : usedSeals;
	const own = claimOf(context, reading, now / 1_000);
	const result = memory.claim(own, now / 1_000);
	if (result === 'first') unlessAccepted(context, () => memory.release(own));
	return result;
}

/**
 * A seal is accepted once. Without one, the call is accepted once, by number and ID: with the ID alone, a forged event
 * about one person could use up the event of another.
 */
function claimOf(context: IWebhookFunctions, { event, seal }: Acceptance, now: number): Claim {
	const trigger = [String(context.getWorkflow().id), context.getNode().id];
	const { callId, clientNumber } = event;
	return seal === null
		? {
				key: [...trigger, clientNumber.replace(/\D/g, ''), callId],
				event: callId,
				expiresAt: now + ONE_DAY,
			}
		: { key: [...trigger, seal.nonce], event: callId, expiresAt: seal.expiresAt };
}

async function readEvent(
	context: IWebhookFunctions,
	{ isSealed, isAllowed, issuers }: TriggerSettings,
	now: number,
): Promise<Acceptance | Rejection> {
	if (isAllowed !== undefined && !isAllowed(context.getRequestObject().ip)) {
		return reject(403, 'Events from this address are not accepted');
	}
	if (!isSealed) return readUnsealedEvent(context);
	const { secretKey } = await readCredential(context);
	const target = targetOf(context.getNodeWebhookUrl('default') ?? '');
	const reading = readSealedEvent(context, { secretKey, target }, now);
	if (!reading.ok || issuers.length === 0) return reading;
	return issuers.includes(reading.seal.issuer) ? reading : rejectSeal('issuer');
}

/** Throws if the settings do not protect the trigger as intended. */
export function readTriggerSettings(
	context: IWebhookFunctions | IHookFunctions,
	optionsField: INodeProperties,
): TriggerSettings {
	const raw = context.getNode().parameters.options;
	const options = givenOptions(optionsField, raw, context.getNodeParameter('options', {}));
	return {
		isSealed: context.getNodeParameter('eventAuthentication', 'signature') !== 'none',
		ignoreDuplicates: readSwitch('Ignore Duplicates', options.ignoreDuplicates ?? true),
		isAllowed: parseIpAllowlist(String(options.ipAllowlist ?? '')),
		issuers: String(options.issuers ?? '')
			.split(/[\s,;]+/)
			.filter((id) => id !== ''),
	};
}

/** Expressions may return text. */
function readSwitch(label: string, value: unknown): boolean {
	const content = readFlag(value);
	if (typeof content === 'boolean') return content;
	throw new InputError(
		`“${label}” is neither true nor false`,
		'Check the expression in this field.',
	);
}
