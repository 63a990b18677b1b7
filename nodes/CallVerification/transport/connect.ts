import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { ServiceAccess } from './address';
import { readAccess } from './address';
import type { HttpResponse } from './answer';
import { ServiceClient } from './client';
import type { Clock } from '../pacing/clock';
import { deadlines } from '../pacing/deadlines';

const CREDENTIAL = 'callVerificationApi';

/** n8n creates a context for each run of a node and for each event, so nothing is kept longer than that. */
const alreadyRead = new WeakMap<object, ICredentialDataDecryptedObject>();

export interface Connection {
	readonly access: ServiceAccess;
	readonly client: ServiceClient;
}

/** Reads the credential and creates a client on top of n8n's request helper. */
export async function connect(
	context: IExecuteFunctions | IWebhookFunctions,
	clock: Clock,
): Promise<Connection> {
	const data = await credentialData(context);
	const access = readAccess(data);
	// Without it, n8n would read and decrypt the credential for every request.
	const credentialsDecrypted = decrypted(context, data);
	const client = new ServiceClient(access, {
		transport: async (request, giveUp) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				withCancelSignal(context, giveUp),
				CREDENTIAL,
				request,
				{ credentialsDecrypted },
			)) as HttpResponse,
		withDeadline: deadlines(clock),
		trace: ({ verb, url, attempt }) => {
			const sentAt = clock.now();
			return (outcome) => {
				const ms = Math.round(clock.now() - sentAt);
				// The query scheme makes a GET of every request.
				const sentVerb = data.authScheme === 'query' ? 'GET' : verb;
				context.logger.debug(`${sentVerb} ${url}: ${outcome} in ${ms} ms, try ${attempt}`);
			};
		},
	});
	return { access, client };
}

/**
 * n8n's helper cancels a request with the signal of its caller, which belongs to the whole run. A separate signal
 * closes the connection on a timeout, and saves the run's signal a listener per request.
 */
function withCancelSignal<Context extends object>(context: Context, signal: AbortSignal): Context {
	const getExecutionCancelSignal = { value: () => signal };
	return Object.create(context, { getExecutionCancelSignal }) as Context;
}

export async function readCredential(
	context: IExecuteFunctions | IWebhookFunctions,
): Promise<ServiceAccess> {
	return readAccess(await credentialData(context));
}

async function credentialData(
	context: IExecuteFunctions | IWebhookFunctions,
): Promise<ICredentialDataDecryptedObject> {
	const known = alreadyRead.get(context);
	if (known !== undefined) return known;
	const data = await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	alreadyRead.set(context, data);
	return data;
}

/** In the form that n8n's request helper expects. */
function decrypted(
	context: IExecuteFunctions | IWebhookFunctions,
	data: ICredentialDataDecryptedObject,
): ICredentialsDecrypted {
	const { id, name } = context.getNode().credentials?.[CREDENTIAL] ?? { id: null, name: '' };
	return { id: id ?? '', name, type: CREDENTIAL, data };
}
