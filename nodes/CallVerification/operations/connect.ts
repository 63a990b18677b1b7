import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { ServiceAccess } from '../api/address';
import { readAccess } from '../api/address';
import type { HttpAnswer } from '../api/answer';
import { ServiceClient } from '../api/client';
import type { Clock } from '../runtime/clock';
import { deadlines } from '../runtime/deadlines';

const CREDENTIAL = 'callVerificationApi';

export interface Connection {
	readonly access: ServiceAccess;
	readonly client: ServiceClient;
}

/** Reads the credential and puts a client on top of n8n's own request helper. */
export async function connect(
	context: IExecuteFunctions | IWebhookFunctions,
	clock: Clock,
): Promise<Connection> {
	const access = await readCredential(context);
	const client = new ServiceClient(access, {
		transport: async (request, giveUp) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				withCancelSignal(context, giveUp),
				CREDENTIAL,
				request,
			)) as HttpAnswer,
		withDeadline: deadlines(clock),
	});
	return { access, client };
}

/**
 * n8n's helper cancels a request by the signal of its caller, which is the whole run's. One of its own
 * closes the connection when the time is over, and spares the run's signal a listener per request.
 */
function withCancelSignal<Context extends object>(context: Context, signal: AbortSignal): Context {
	const getExecutionCancelSignal = { value: () => signal };
	return Object.create(context, { getExecutionCancelSignal }) as Context;
}

export async function readCredential(
	context: IExecuteFunctions | IWebhookFunctions,
): Promise<ServiceAccess> {
	return readAccess(await context.getCredentials(CREDENTIAL));
}
