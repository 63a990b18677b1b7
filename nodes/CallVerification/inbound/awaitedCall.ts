import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readCredential } from '../transport/credential';
import { withoutQuery } from '../transport/redact';
import { HandledEvents } from './handledEvents';
import { isSameNumber } from '../phones/numberSpelling';
import { isRecord } from '../contract/fields';
import type { Acceptance, Rejection } from './inboundRequest';
import {
	alwaysAnswer,
	eventOutput,
	readSealedEvent,
	refuse,
	reject,
	unlessAccepted,
} from './inboundRequest';
import { awaitedBy } from './requestedCall';

/** On n8n 1.x, two valid callbacks at once would resume the execution twice. Within one process, this prevents it. */
const usedSeals = new HandledEvents();

/**
 * Accepts the event that an execution is waiting for. Anything else gets a response, and the execution keeps waiting.
 */
export async function receiveAwaitedCall(
	context: IWebhookFunctions,
	now: () => number,
): Promise<IWebhookResponseData> {
	return await alwaysAnswer(context, now, async () => {
		const reading = await readAwaited(context, now());
		if (!reading.ok) return refuse(context, reading, now());
		const json = {
			...inputOf(context),
			...eventOutput(reading, now()),
			// On 2.x, the query of a resume URL contains n8n's own token, and this execution may wait again.
			callbackLink: withoutQuery(reading.event.callbackLink),
			received: true,
		};
		return {
			webhookResponse: { accepted: true },
			workflowData: [[{ json, pairedItem: { item: 0 } }]],
		};
	});
}

async function readAwaited(
	context: IWebhookFunctions,
	now: number,
): Promise<Acceptance | Rejection> {
	const { secretKey } = await readCredential(context);
	const target = executionOf(context);
	const reading = readSealedEvent(context, { secretKey, target }, now);
	if (!reading.ok) return reading;

	const { callId, confirmationNumber } = reading.event;
	const awaited = awaitedBy(context);
	if (awaited?.callId !== callId || awaited.phone !== reading.seal.phone) {
		return reject(409, 'The execution is waiting for another call');
	}
	// The service may report a call to the wrong page if two people asked for a number for the same phone.
	if (!isSameNumber(confirmationNumber, awaited.confirmationNumber)) {
		return reject(409, 'The execution is waiting for a call to another number');
	}

	const { nonce, expiresAt } = reading.seal;
	const claim = { key: [target, nonce], event: callId, expiresAt };
	if (usedSeals.claim(claim, now / 1_000) !== 'first') {
		return reject(409, 'The execution has already continued');
	}
	unlessAccepted(context, () => usedSeals.release(claim));
	return reading;
}

function executionOf(context: IWebhookFunctions): string {
	return String(context.evaluateExpression('{{ $execution.id }}', 0));
}

/** The waiting item, as `suspend` left it. */
function inputOf(context: IWebhookFunctions): IDataObject {
	const input: unknown = context.evaluateExpression('{{ $json }}', 0);
	return isRecord(input) ? (input as IDataObject) : {};
}
