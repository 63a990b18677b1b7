import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { checkSeal, withoutSeal } from '../../api/callbackSeal';
import type { InboundEvent } from '../../api/inboundEvent';
import { readInboundEvent } from '../../api/inboundEvent';

/** What a stranger is told; it helps an honest sender and gives a forger nothing to work with. */
export interface Rejection {
	readonly ok: false;
	readonly status: number;
	readonly reason: string;
}

export interface Acceptance {
	readonly ok: true;
	readonly event: InboundEvent;
	/** From the seal; null where none was asked for. */
	readonly reference: string | null;
}

export function reject(status: number, reason: string): Rejection {
	return { ok: false, status, reason };
}

/** What a seal must have been made with. */
export interface SealRequirement {
	readonly secretKey: string;
	/** The trigger or execution that was called. */
	readonly target: string | undefined;
}

/** Reads the event from a request and checks its seal, where one is asked for. */
export function readInboundRequest(
	context: IWebhookFunctions,
	required: SealRequirement | undefined,
	now: number,
): Acceptance | Rejection {
	const reading = readInboundEvent(context.getBodyData());
	if (!reading.ok) return reject(400, reading.reason);
	const { event } = reading;
	if (required === undefined) return { ok: true, event, reference: null };

	const query = context.getRequestObject().query;
	const { secretKey, target } = required;
	const seal = checkSeal(query, event.clientNumber, secretKey, now / 1_000, target);
	if (!seal.ok) {
		return reject(401, 'The callback URL was not made for this event, or is no longer valid');
	}
	return { ok: true, event, reference: seal.reference };
}

/** The eight fields of the event, its reference, and when it came. */
export function eventOutput({ event, reference }: Acceptance, now: number): IDataObject {
	return {
		...event,
		// The URL comes back with its seal on; in the execution's data it would be free to take.
		callbackLink: withoutSeal(event.callbackLink),
		reference,
		received_at: new Date(now).toISOString(),
	};
}

/**
 * Answers without starting or resuming anything. The answer is sent here, because n8n itself would
 * answer 200.
 */
export function answer(
	context: IWebhookFunctions,
	status: number,
	body: { accepted: boolean; reason?: string; duplicate?: boolean },
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

/**
 * Takes something back unless the sender learns that the event was accepted. n8n says so once it has stored the
 * execution. If it could not, or the sender did not wait, the event may come again and is no repeat then.
 */
export function unlessAccepted(context: IWebhookFunctions, takeBack: () => void): void {
	const response = context.getResponseObject();
	response.once('close', () => {
		if (!response.writableFinished || response.statusCode >= 400) takeBack();
	});
}

/**
 * Whatever goes wrong, the sender gets an answer. Throwing would make n8n record a failed execution,
 * or resume a waiting one with an empty item.
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
