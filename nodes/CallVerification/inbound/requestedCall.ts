import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

/*
 * What Start tells Wait, in the memory of their execution, because nodes in between replace the items. Both are always
 * in the same execution: a callback resumes only the one that requested it.
 */

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

export function rememberRequest(context: ExecutionMemory, call: RequestedCall): void {
	memoryOf(context)[keyOf(context, call.callId)] = { ...call };
}

/** Undefined unless this execution requested the call and gets its event. */
export function requestedBy(context: ExecutionMemory, callId: string): RequestedCall | undefined {
	return requestedCall.safeParse(memoryOf(context)[keyOf(context, callId)]).data;
}

/** For the webhook, which can read the node's own memory only. */
export function rememberAwaited(context: ExecutionMemory, call: RequestedCall): void {
	context.getContext('node')[AWAITED] = { ...call };
}

export function awaitedBy(context: IWebhookFunctions): RequestedCall | undefined {
	// A brace in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(/[{}]/g, asEscape);
	const awaited = context.evaluateExpression(`{{ $node[${name}].context.${AWAITED} }}`, 0);
	return requestedCall.safeParse(awaited).data;
}

function memoryOf(context: ExecutionMemory): IDataObject {
	return context.getContext('flow');
}

/** With the execution, because n8n's Retry copies the memory into an execution with another callback URL. */
function keyOf(context: ExecutionMemory, callId: string): string {
	return `callVerification:${context.getExecutionId()}:${callId}`;
}

function asEscape(character: string): string {
	return `\\u00${character.charCodeAt(0).toString(16)}`;
}
