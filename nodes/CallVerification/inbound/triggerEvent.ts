import type { IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readFlag } from '../contract/fields';
import { InputError } from '../contract/request';
import { targetIdOf } from './callbackUrl';
import { type Claim, type ClaimResult, HandledEvents } from './handledEvents';
import { eventOutput } from './inboundEvent';
import {
	type Acceptance,
	alwaysRespond,
	readSealedEvent,
	readUnsealedEvent,
	RejectedEvent,
	rejectedSeal,
	respond,
	unlessAccepted,
} from './inboundRequest';
import { type IpMatcher, parseIpAllowlist } from './ipAllowlist';
import { isTest, registerTrigger } from './triggerRegistry';

const ONE_DAY = 24 * 60 * 60;

/**
 * Best effort: per process, bounded. An exact filter needs storage that all processes share. Kept separately, so that a
 * flood of unsealed events, which anyone can send, does not push out used seals.
 */
const usedSeals = new HandledEvents();
const reportedCalls = new HandledEvents();

interface TriggerSettings {
	readonly isSealed: boolean;
	readonly ignoreDuplicates: boolean;
	/** Undefined if any address may send events. */
	readonly isAllowed: IpMatcher | undefined;
	/** Workflows whose calls are accepted. If there are none, every workflow. */
	readonly issuers: readonly string[];
}

type TriggerOptions = Readonly<Record<string, unknown>>;

/** Starts the workflow for a genuine event; anything else only gets a response. */
export async function receiveEvent(
	context: IWebhookFunctions,
	readOptions: () => TriggerOptions,
	now: () => number,
): Promise<IWebhookResponseData> {
	return await alwaysRespond(
		context,
		now,
		async () => await receive(context, readTriggerSettings(context, readOptions()), now()),
	);
}

async function receive(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	now: number,
): Promise<IWebhookResponseData> {
	const accepted = await readEvent(context, settings, now);
	registerTrigger(context);
	// Last, so that nothing can fail after it and lose the event.
	const claimed = claim(context, accepted, settings, now);
	if (claimed === 'repeated') return respond(context, 200, { accepted: true, duplicate: true });
	if (claimed === 'conflicting') throw rejectedSeal('used');
	return {
		webhookResponse: { accepted: true },
		workflowData: [[{ json: eventOutput(accepted.event, accepted.seal, now) }]],
	};
}

function claim(
	context: IWebhookFunctions,
	accepted: Acceptance,
	{ ignoreDuplicates }: TriggerSettings,
	now: number,
): ClaimResult {
	// In the editor, the user wants to see the event each time.
	if (isTest(context)) return 'first';
	const isSealed = accepted.seal !== null;
	if (!isSealed && !ignoreDuplicates) return 'first';
	const memory = isSealed ? usedSeals : reportedCalls;
	const own = claimOf(context, accepted, now / 1_000);
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
	if (seal !== null) {
		return { key: [...trigger, seal.nonce], event: callId, expiresAt: seal.expiresAt };
	}
	const number = clientNumber.replace(/\D/g, '');
	return { key: [...trigger, number, callId], event: callId, expiresAt: now + ONE_DAY };
}

async function readEvent(
	context: IWebhookFunctions,
	{ isSealed, isAllowed, issuers }: TriggerSettings,
	now: number,
): Promise<Acceptance> {
	if (isAllowed !== undefined && !isAllowed(context.getRequestObject().ip)) {
		throw new RejectedEvent(403, 'Events from this address are not accepted');
	}
	if (!isSealed) return readUnsealedEvent(context);
	const target = targetIdOf(context.getNodeWebhookUrl('default') ?? '');
	const accepted = await readSealedEvent(context, target, now);
	if (issuers.length > 0 && !issuers.includes(accepted.seal.issuer)) throw rejectedSeal('issuer');
	return accepted;
}

/** Throws if the settings do not protect the trigger as intended. */
export function readTriggerSettings(
	context: IWebhookFunctions | IHookFunctions,
	options: TriggerOptions,
): TriggerSettings {
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
