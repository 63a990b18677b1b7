import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { SealFailure, TrueSeal } from './callbackSeal';
import { checkSeal, withoutSeal } from './callbackSeal';
import type { OutputField } from '../contract/fields';
import type { InboundEvent } from './inboundEvent';
import { readInboundEvent } from './inboundEvent';
import { logRefusal } from './refusalLog';

export interface Rejection {
	readonly ok: false;
	readonly status: number;
	/** For the sender: helpful to an honest one, useless to a forger. */
	readonly reason: string;
	/** For n8n's log. */
	readonly why: string;
}

export interface Acceptance {
	readonly ok: true;
	readonly event: InboundEvent;
	/** Null if none is required. */
	readonly seal: TrueSeal | null;
}

export interface SealedAcceptance extends Acceptance {
	readonly seal: TrueSeal;
}

export function reject(status: number, reason: string, why = reason): Rejection {
	return { ok: false, status, reason, why };
}

const SEAL_PROBLEMS = {
	noKey: 'The credential has no secret key to check the signature with',
	missing: 'The URL has no signature, or only part of one',
	malformed: 'The signature or the phone number cannot be read',
	forged:
		'The signature does not fit the event: it is forged, changed, or for another number, trigger, execution or key',
	expired: 'The signature has expired',
	used: 'The signature has already been used for another call',
	issuer: 'The workflow that requested the call is not in “Allowed Workflows”',
} as const satisfies Record<SealFailure, string> & Record<string, string>;

/** The same response for any invalid seal, so that it does not reveal how close it was. */
export function rejectSeal(problem: keyof typeof SEAL_PROBLEMS): Rejection {
	return reject(
		401,
		'The callback URL was not issued for this event, or is no longer valid',
		SEAL_PROBLEMS[problem],
	);
}

/** What a seal must have been created with. */
export interface SealRequirement {
	readonly secretKey: string;
	/** The trigger or execution that was called. */
	readonly target: string | undefined;
}

/** Trusts whoever sent the request. */
export function readUnsealedEvent(context: IWebhookFunctions): Acceptance | Rejection {
	const reading = readInboundEvent(isForm(context) ? undefined : context.getBodyData());
	return reading.ok ? { ...reading, seal: null } : reject(400, reading.reason);
}

export function readSealedEvent(
	context: IWebhookFunctions,
	{ secretKey, target }: SealRequirement,
	now: number,
): SealedAcceptance | Rejection {
	const reading = readUnsealedEvent(context);
	if (!reading.ok) return reading;
	const { query } = context.getRequestObject();
	const { event } = reading;
	const seal = checkSeal(query, event.clientNumber, secretKey, now / 1_000, target);
	return seal.ok ? { ok: true, event, seal } : rejectSeal(seal.reason);
}

/** n8n also parses a form into an object, but the service posts JSON. */
function isForm(context: IWebhookFunctions): boolean {
	const type = context.getHeaderData()['content-type'] ?? '';
	return /^\s*application\/x-www-form-urlencoded/i.test(type);
}

interface EventOutputFields extends InboundEvent {
	reference: string | null;
	issued_by: string | null;
	received_at: string;
}

type EventOutput = EventOutputFields & IDataObject;

/** The output of the trigger and of Wait. */
export const eventFields = {
	callId: { type: 'string', meaning: 'identifier of the call: `vendor_id` of Start' },
	callbackLink: { type: 'string', meaning: 'the callback URL, as the service repeats it' },
	clientNumber: { type: 'string', meaning: 'the number that was verified' },
	confirmationNumber: { type: 'string', meaning: 'the number that was called' },
	isMnp: { type: 'boolean', meaning: 'the number was ported to another operator' },
	operatorName: {
		type: 'string',
		meaning: 'original operator of the number; empty if `isMnp` is false',
	},
	operatorNameMnp: {
		type: 'string',
		meaning: 'operator the number was ported to; empty if `isMnp` is false',
	},
	regionName: { type: 'string', meaning: 'region' },
	reference: { type: 'string', meaning: 'your own text from Start' },
	issued_by: { type: 'string', meaning: 'the workflow that requested the call, by its ID' },
	received_at: { type: 'string', meaning: 'when n8n received the event' },
} as const satisfies Record<keyof EventOutputFields, OutputField>;

/** The eight fields of the event, what the seal adds, and when it arrived. */
export function eventOutput({ event, seal }: Acceptance, now: number): EventOutput {
	return {
		...event,
		// The returned URL contains its seal, which must not be in the execution's data.
		callbackLink: withoutSeal(event.callbackLink),
		clientNumber: seal?.phone ?? event.clientNumber,
		reference: seal?.reference ?? null,
		issued_by: seal?.issuer ?? null,
		received_at: new Date(now).toISOString(),
	};
}

/** Responds without starting or resuming anything. Sends the response itself, because n8n would respond with 200. */
export function answer(
	context: IWebhookFunctions,
	status: number,
	body: { accepted: boolean; reason?: string; duplicate?: boolean },
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

/** Responds to a refused event and leaves a line in n8n's log. */
export function refuse(
	context: IWebhookFunctions,
	{ status, reason, why }: Rejection,
	now: number,
): IWebhookResponseData {
	logRefusal(context, why, now);
	return answer(context, status, { accepted: false, reason });
}

/**
 * Undoes a claim if n8n responds with an error, so that a later delivery of the event is not a duplicate. n8n writes
 * its response even if the sender has disconnected, and only then is the status known. Undoing it on disconnect would
 * let one sender start the workflow again and again.
 */
export function unlessAccepted(context: IWebhookFunctions, takeBack: () => void): void {
	const response = context.getResponseObject();
	response.once('prefinish', () => {
		if (response.statusCode >= 400) takeBack();
	});
}

/**
 * Whatever goes wrong, the sender gets a response. Throwing would make n8n record a failed execution, or resume a
 * waiting one with an empty item.
 */
export async function alwaysAnswer(
	context: IWebhookFunctions,
	now: () => number,
	receive: () => Promise<IWebhookResponseData>,
): Promise<IWebhookResponseData> {
	try {
		return await receive();
	} catch (error) {
		const message = error instanceof Error ? error.message : '';
		logRefusal(context, `It could not be checked: ${message}`, now());
		return answer(context, 500, { accepted: false, reason: 'The event could not be checked' });
	}
}
