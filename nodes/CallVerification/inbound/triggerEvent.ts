import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { serviceRequest } from '../api/client';
import { getInfo } from '../api/contract/getInfo';
import { InputError, isFinal, ServiceError } from '../api/errors';
import type { Claim, ClaimResult } from '../api/handledEvents';
import { HandledEvents } from '../api/handledEvents';
import { parseIpAllowlist } from '../api/ipAllowlist';
import { isRecord } from '../api/record';
import { readVendorId } from '../api/vendorId';
import { connect, readCredential } from '../api/connect';
import { systemClock } from '../api/systemClock';
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

/** The sender is waiting: it gets a response within ten seconds, whatever the service does. */
const CONFIRM_TIMEOUT = 9_000;

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
	ipAllowlist: string;
	issuers: readonly string[];
	confirmWithService: boolean;
}

/** Starts the workflow for a genuine event; anything else only gets a response. */
export async function receiveEvent(
	context: IWebhookFunctions,
	now: () => number,
): Promise<IWebhookResponseData> {
	return await alwaysAnswer(
		context,
		now,
		async () => await receive(context, readSettings(context), now()),
	);
}

async function receive(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	now: number,
): Promise<IWebhookResponseData> {
	const reading = await readEvent(context, settings, now);
	if (!reading.ok) return refuse(context, reading, now);
	const { callId } = reading.event;
	const rejection = settings.confirmWithService ? await confirm(context, callId) : undefined;
	if (rejection !== undefined) return refuse(context, rejection, now);
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
	{ isSealed, ipAllowlist, issuers }: TriggerSettings,
	now: number,
): Promise<Acceptance | Rejection> {
	const isAllowed = parseIpAllowlist(ipAllowlist);
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

/** Refuses an event about a call that the service does not know. */
async function confirm(context: IWebhookFunctions, callId: string): Promise<Rejection | undefined> {
	try {
		const { access, client } = await connect(context, systemClock);
		// No retries, because the sender may retry itself.
		const record = await client.ask(serviceRequest(getInfo, { uid: readVendorId(callId) }), {
			timeout: CONFIRM_TIMEOUT / access.baseUrls.length,
		});
		return String(record.vendor_id) === callId ? undefined : unconfirmed();
	} catch (error) {
		const isRefused = !(error instanceof ServiceError) || isFinal(error);
		return isRefused ? unconfirmed() : reject(503, 'The event cannot be confirmed at the moment');
	}
}

function unconfirmed(): Rejection {
	return reject(403, 'The service does not confirm this call');
}

function readSettings(context: IWebhookFunctions): TriggerSettings {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	return {
		isSealed: context.getNodeParameter('eventAuthentication', 'signature') !== 'none',
		ignoreDuplicates: options.ignoreDuplicates !== false,
		ipAllowlist: readGuard(context, options, 'ipAllowlist', 'IP Allowlist'),
		issuers: readGuard(context, options, 'issuers', 'Allowed Workflows')
			.split(/[\s,;]+/)
			.filter((id) => id !== ''),
		confirmWithService: options.confirmWithService === true,
	};
}

/** An expression that returns nothing must not let everyone in. */
function readGuard(
	context: IWebhookFunctions,
	options: IDataObject,
	name: string,
	label: string,
): string {
	const value = String(options[name] ?? '');
	const written: unknown = context.getNode().parameters.options;
	const isExpression = isRecord(written) && String(written[name] ?? '').startsWith('=');
	if (isExpression && !/[^\s,;]/.test(value)) {
		throw new InputError(
			`The expression in “${label}” returned nothing`,
			'Correct the expression, or remove the option to accept events without this limit.',
		);
	}
	return value;
}
