import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { withoutQuery } from '../api/callbackUrl';
import { HandledEvents } from '../api/handledEvents';
import { readPhone } from '../api/phone';
import { isRecord } from '../api/record';
import { readVendorId } from '../api/vendorId';
import { readCredential } from '../api/connect';
import type { Acceptance, Rejection } from './inboundRequest';
import {
	alwaysAnswer,
	answer,
	eventOutput,
	readSealedEvent,
	reject,
	unlessAccepted,
} from './inboundRequest';

/** On n8n 1.x, two valid callbacks at once would resume the execution twice. Within one process, this prevents it. */
const usedSeals = new HandledEvents();

/**
 * Accepts the event that an execution is waiting for. Anything else gets a response, and the execution keeps waiting.
 */
export async function receiveAwaitedCall(
	context: IWebhookFunctions,
	now: () => number,
): Promise<IWebhookResponseData> {
	return await alwaysAnswer(context, async () => {
		const reading = await readAwaited(context, now());
		if (!reading.ok) {
			return answer(context, reading.status, { accepted: false, reason: reading.reason });
		}
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

	const { callId, clientNumber } = reading.event;
	const isAwaited =
		callId === String(readVendorId(context.getNodeParameter('uid'))) &&
		readPhone(clientNumber) === readPhone(context.getNodeParameter('phone'));
	if (!isAwaited) return reject(409, 'The execution is waiting for another call');

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
