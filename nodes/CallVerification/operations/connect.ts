import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { ServiceAccess } from '../api/address';
import { readAccess } from '../api/address';
import type { HttpAnswer } from '../api/answer';
import type { ClientDependencies } from '../api/client';
import { ServiceClient } from '../api/client';

const CREDENTIAL = 'callVerificationApi';

export interface Connection {
	readonly access: ServiceAccess;
	readonly client: ServiceClient;
}

/** Reads the credential and puts a client on top of n8n's own request helper. */
export async function connect(
	context: IExecuteFunctions | IWebhookFunctions,
	pace: Pick<ClientDependencies, 'clock' | 'limit' | 'takeTurn'>,
): Promise<Connection> {
	const access = await readCredential(context);
	const client = new ServiceClient(access, {
		...pace,
		transport: async (request) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL,
				request,
			)) as HttpAnswer,
		deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
		random: Math.random,
	});
	return { access, client };
}

export async function readCredential(
	context: IExecuteFunctions | IWebhookFunctions,
): Promise<ServiceAccess> {
	return readAccess(await context.getCredentials(CREDENTIAL));
}
