import type { IExecuteFunctions } from 'n8n-workflow';

import { readAccess } from '../api/address';
import type { HttpAnswer } from '../api/answer';
import { ServiceClient } from '../api/client';

const CREDENTIAL = 'callVerificationApi';

/**
 * One client for the whole run of a node, made when the first item asks for it: a credential that
 * cannot be read is then the error of that item, and n8n's error settings apply to it.
 */
export function connect(context: IExecuteFunctions): () => Promise<ServiceClient> {
	let client: Promise<ServiceClient> | undefined;
	return async () => await (client ??= createClient(context));
}

async function createClient(context: IExecuteFunctions): Promise<ServiceClient> {
	const access = readAccess(await context.getCredentials(CREDENTIAL));
	return new ServiceClient(access, {
		transport: async (request) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL,
				request,
			)) as HttpAnswer,
		deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
	});
}
