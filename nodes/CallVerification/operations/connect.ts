import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { ServiceAccess } from '../api/address';
import { readAccess } from '../api/address';
import type { HttpAnswer } from '../api/answer';
import { ServiceClient } from '../api/client';

const CREDENTIAL = 'callVerificationApi';

export interface Connection {
	readonly access: ServiceAccess;
	readonly client: ServiceClient;
}

/**
 * One connection for the whole run of a node, made when the first item asks for it: a credential
 * that cannot be read is then the error of that item, and n8n's error settings apply to it.
 */
export function connectOnce(context: IExecuteFunctions): () => Promise<Connection> {
	let connection: Promise<Connection> | undefined;
	return async () => await (connection ??= connect(context));
}

export async function connect(context: IExecuteFunctions | IWebhookFunctions): Promise<Connection> {
	const access = readAccess(await context.getCredentials(CREDENTIAL));
	const client = new ServiceClient(access, {
		transport: async (request) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL,
				request,
			)) as HttpAnswer,
		deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
	});
	return { access, client };
}
