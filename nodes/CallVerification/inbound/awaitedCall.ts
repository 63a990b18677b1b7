import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { isSameNumber } from '../phones/phone';
import { isRecord } from '../contract/fields';
import { withoutQuery } from '../transport/redact';
import { callbackWebhook } from './callbackUrl';
import { alwaysRespond, claimOnce, eventOutput, readSealedEvent, Rejection } from './inboundEvent';

/** What Get Number to Call tells Wait, in the memory of their execution, because nodes in between replace the items. */
const requestedCall = z.object({
	callId: z.string(),
	/** As sealed into the callback URL. */
	phone: z.string(),
	/** The number that the person was given to call. */
	confirmationNumber: z.string(),
});

export type RequestedCall = z.output<typeof requestedCall>;

type ExecutionMemory = Pick<IExecuteFunctions, 'getContext' | 'getExecutionId'>;

const AWAITED = 'awaitedCall';

const resumeWebhook = { ...callbackWebhook, restartWebhook: true };

export const resumeWebhooks: Array<typeof callbackWebhook> = [
	resumeWebhook,
	// The page a form visitor sees. Without it, n8n has no page to show.
	{ ...resumeWebhook, httpMethod: 'GET', path: '', isFullPath: true, nodeType: 'form' },
];

const DEFAULT_PAGE =
	'<title>Waiting for your call</title><p style="font: 18px/1.5 sans-serif; margin: 48px auto; max-width: 400px; padding: 0 16px">We are waiting for your call. This page updates automatically after you call.</p>';

/** Same policy as n8n's own form pages: the author's HTML gets no access to n8n's origin. */
const SANDBOX =
	'sandbox allow-forms allow-modals allow-popups allow-scripts allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols';

/** While a phone dials, its browser may lose the connection, so a failed request counts as still waiting. */
const UPDATE_ITSELF = `<script>
setInterval(async () => {
	const address = new URL(location.href);
	address.pathname += '/n8n-execution-status';
	const status = await fetch(address).then((answer) => answer.text(), () => 'waiting');
	if (!['new', 'running', 'waiting'].includes(status.trim())) location.reload();
}, 2000);
</script>`;

export function rememberRequest(context: ExecutionMemory, call: RequestedCall): void {
	context.getContext('flow')[keyOf(context, call.callId)] = { ...call };
}

/** Undefined unless this execution requested the call and gets its event. */
export const requestedBy = (context: ExecutionMemory, callId: string) =>
	requestedCall.safeParse(context.getContext('flow')[keyOf(context, callId)]).data;

/** For the webhook, which can read the node's own memory only. */
export function rememberAwaited(context: ExecutionMemory, call: RequestedCall): void {
	context.getContext('node')[AWAITED] = { ...call };
}

/** Accepts the event that an execution waits for. Anything else gets a response, and the execution keeps waiting. */
export async function receiveAwaitedCall(context: IWebhookFunctions, now: number) {
	return await alwaysRespond(context, now, async () => {
		const target = String(context.evaluateExpression('{{ $execution.id }}', 0));
		const accepted = await readSealedEvent(context, now, target);
		const { event, seal } = accepted;
		const awaited = awaitedBy(context);
		if (awaited?.callId !== event.callId || awaited.phone !== seal.phone) {
			throw new Rejection(409, 'The execution is waiting for another call');
		}
		// The service may report a call to the wrong page if two people asked for a number for the same phone.
		if (!isSameNumber(event.confirmationNumber, awaited.confirmationNumber)) {
			throw new Rejection(409, 'The execution is waiting for a call to another number');
		}
		// On n8n 1.x, two valid callbacks at once would resume the execution twice. Within one process, this prevents it.
		if (claimOnce(context, [target], accepted, now) !== 'first') {
			throw new Rejection(409, 'The execution has already continued');
		}
		const input: unknown = context.evaluateExpression('{{ $json }}', 0);
		const json = {
			// The waiting item, as `suspend` left it.
			...(isRecord(input) ? (input as IDataObject) : {}),
			...eventOutput(accepted, now),
			// On 2.x, the query of a resume URL contains n8n's own token, and this execution may wait again.
			callbackLink: withoutQuery(event.callbackLink),
			received: true,
		};
		const workflowData = [[{ json, pairedItem: { item: 0 } }]];
		return { webhookResponse: { accepted: true }, workflowData };
	});
}

/** Shows the page to a visitor who reloads it or comes back to it; the execution keeps waiting. */
export function showWaitingPage(context: IWebhookFunctions) {
	const page = String(context.getNodeParameter('options.waitingPage', ''));
	const headers = {
		'Cache-Control': 'no-store',
		'Content-Security-Policy': SANDBOX,
		'Content-Type': 'text/html; charset=utf-8',
	};
	const html = `<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1">${page.trim() || DEFAULT_PAGE}${UPDATE_ITSELF}`;
	context.getResponseObject().status(200).set(headers).send(html);
	return { noWebhookResponse: true };
}

function awaitedBy(context: IWebhookFunctions): RequestedCall | undefined {
	// A brace in the name would end the expression.
	const name = JSON.stringify(context.getNode().name)
		.replaceAll('{', '\\u007b')
		.replaceAll('}', '\\u007d');
	const awaited = context.evaluateExpression(`{{ $node[${name}].context.${AWAITED} }}`, 0);
	return requestedCall.safeParse(awaited).data;
}

/** With the execution, because n8n's Retry copies the memory into an execution with another callback URL. */
const keyOf = (context: ExecutionMemory, callId: string) =>
	`callVerification:${context.getExecutionId()}:${callId}`;
