import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { serviceRequest } from '../../api/client';
import { getInfo } from '../../api/contract/methods';
import { ServiceError } from '../../api/errors';
import type { InboundEvent } from '../../api/inboundEvent';
import { parseIpAllowlist } from '../../api/ipAllowlist';
import { RecentEvents } from '../../api/recentEvents';
import { readVendorId } from '../../api/vendorId';
import { connect, readCredential } from '../connect';
import { systemClock } from '../systemClock';
import { targetOf } from './callback';
import type { Acceptance, Rejection } from './inboundRequest';
import {
	alwaysAnswer,
	answer,
	eventOutput,
	readInboundRequest,
	reject,
	unlessAccepted,
} from './inboundRequest';

/** The sender waits meanwhile: it gets its answer within ten seconds, whatever the service does. */
const CONFIRM_TIMEOUT = 9_000;

/** Best effort: per process, bounded. An exact filter needs a store that all processes share. */
const recent = new RecentEvents();

interface TriggerSettings {
	isSealed: boolean;
	ignoreDuplicates: boolean;
	ipAllowlist: string;
	confirmWithService: boolean;
}

/** Lets a true event start the workflow; whatever else comes is answered and starts nothing. */
export async function receiveEvent(
	context: IWebhookFunctions,
	now: () => number,
): Promise<IWebhookResponseData> {
	return await alwaysAnswer(
		context,
		async () => await receive(context, readSettings(context), now()),
	);
}

async function receive(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	now: number,
): Promise<IWebhookResponseData> {
	const reading = await readEvent(context, settings, now);
	if (!reading.ok) {
		return answer(context, reading.status, { accepted: false, reason: reading.reason });
	}
	const { callId } = reading.event;
	const rejection = settings.confirmWithService ? await confirm(context, callId) : undefined;
	if (rejection !== undefined) {
		return answer(context, rejection.status, { accepted: false, reason: rejection.reason });
	}
	// Last, so that nothing of ours after it can fail: an event that comes meanwhile would be lost with it.
	if (settings.ignoreDuplicates && !isFirst(context, reading.event, now)) {
		return answer(context, 200, { accepted: true, duplicate: true });
	}
	return {
		webhookResponse: { accepted: true },
		workflowData: [[{ json: eventOutput(reading, now) }]],
	};
}

/**
 * The seal vouches for the number and not for the call ID. With the ID alone, whoever holds a seal for
 * one person could use up the event of another before it comes.
 */
function isFirst(
	context: IWebhookFunctions,
	{ callId, clientNumber }: InboundEvent,
	now: number,
): boolean {
	// Someone who listens in the editor wants to see the event each time.
	if (context.getMode() === 'manual') return true;
	const scope = `${context.getWorkflow().id} ${context.getNode().id}`;
	const call = JSON.stringify([clientNumber.replace(/\D/g, ''), callId]);
	if (!recent.claim(scope, call, now / 1_000)) return false;
	unlessAccepted(context, () => recent.release(scope, call));
	return true;
}

async function readEvent(
	context: IWebhookFunctions,
	{ isSealed, ipAllowlist }: TriggerSettings,
	now: number,
): Promise<Acceptance | Rejection> {
	const isAllowed = parseIpAllowlist(ipAllowlist);
	if (isAllowed !== undefined && !isAllowed(context.getRequestObject().ip)) {
		return reject(403, 'Events from this address are not accepted');
	}
	if (!isSealed) return readInboundRequest(context, undefined, now);
	const { secretKey } = await readCredential(context);
	const target = targetOf(context.getNodeWebhookUrl('default') ?? '');
	return readInboundRequest(context, { secretKey, target }, now);
}

/** Asked for, the service must know the call: an event it does not know starts nothing. */
async function confirm(context: IWebhookFunctions, callId: string): Promise<Rejection | undefined> {
	try {
		const { access, client } = await connect(context, systemClock);
		// Once: the sender may well try again itself.
		const record = await client.ask(serviceRequest(getInfo, { uid: readVendorId(callId) }), {
			timeout: CONFIRM_TIMEOUT / access.baseUrls.length,
		});
		return String(record.vendor_id) === callId ? undefined : unconfirmed();
	} catch (error) {
		const isRefused = !(error instanceof ServiceError) || error.failure === 'refused';
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
		ipAllowlist: String(options.ipAllowlist ?? ''),
		confirmWithService: options.confirmWithService === true,
	};
}
