import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { TrueSeal } from '../api/callbackSeal';
import { checkSeal, withoutSeal } from '../api/callbackSeal';
import type { OutputField } from '../api/contract/outputField';
import type { InboundEvent } from '../api/inboundEvent';
import { readInboundEvent } from '../api/inboundEvent';

/** The response to a stranger: helpful to an honest sender, useless to a forger. */
export interface Rejection {
	readonly ok: false;
	readonly status: number;
	readonly reason: string;
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

export function reject(status: number, reason: string): Rejection {
	return { ok: false, status, reason };
}

/** The same response for any invalid seal, so that it does not reveal how close it was. */
export function rejectSeal(): Rejection {
	return reject(401, 'The callback URL was not issued for this event, or is no longer valid');
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
	return seal.ok ? { ok: true, event, seal } : rejectSeal();
}

/** n8n also parses a form into an object, but the service posts JSON. */
function isForm(context: IWebhookFunctions): boolean {
	const type = context.getHeaderData()['content-type'] ?? '';
	return /^\s*application\/x-www-form-urlencoded/i.test(type);
}

interface EventOutput extends InboundEvent, IDataObject {
	reference: string | null;
	received_at: string;
}

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
	received_at: { type: 'string', meaning: 'when n8n received the event' },
} as const satisfies Record<keyof InboundEvent | 'reference' | 'received_at', OutputField>;

/** The eight fields of the event, its reference, and when it arrived. */
export function eventOutput({ event, seal }: Acceptance, now: number): EventOutput {
	return {
		...event,
		// The returned URL contains its seal, which must not be in the execution's data.
		callbackLink: withoutSeal(event.callbackLink),
		reference: seal?.reference ?? null,
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
	receive: () => Promise<IWebhookResponseData>,
): Promise<IWebhookResponseData> {
	try {
		return await receive();
	} catch (error) {
		context.logger.error(
			`An inbound call could not be checked: ${error instanceof Error ? error.message : ''}`,
		);
		return answer(context, 500, { accepted: false, reason: 'The event could not be checked' });
	}
}
