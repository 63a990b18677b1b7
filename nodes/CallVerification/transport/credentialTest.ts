import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readAccess } from './address';
import type { HttpResponse } from './answer';
import { authenticate } from './authenticate';
import { serviceRequest, ServiceClient } from './client';
import { getBalance } from '../contract/getBalance';
import { ServiceError } from './errors';
import { InputError } from '../contract/request';
import type { Clock } from '../pacing/clock';
import { deadlines } from '../pacing/deadlines';
import { settle } from '../pacing/settled';
import { systemClock } from './systemClock';

/** Milliseconds. Short, because a person is waiting in the dialog. */
const PATIENCE = 15_000;

/**
 * The credential test: gets the balance, which works with every scheme, and reports what the node would report. A
 * declarative test could not: for responses with an HTTP error status, n8n 1.x shows its own text.
 */
export async function testCredential(
	context: ICredentialTestFunctions,
	{ data: credential = {} }: ICredentialsDecrypted,
	clock: Clock,
): Promise<INodeCredentialTestResult> {
	const tested = await settle(async () => {
		const client = new ServiceClient(readAccess(credential), {
			transport: async (request) => {
				const { url: uri, ...signed } = await authenticate(credential, request);
				// The older form of a request: n8n has no other helper for credential tests.
				const options = { ...signed, uri, simple: false, resolveWithFullResponse: true };
				return (await context.helpers.request(options)) as HttpResponse;
			},
			withDeadline: deadlines(clock),
		});
		return await client.ask(serviceRequest(getBalance, {}), { timeout: PATIENCE });
	});
	if (tested.ok) return { status: 'OK', message: 'Connection successful!' };
	const { error } = tested;
	if (!(error instanceof ServiceError || error instanceof InputError)) throw error;
	return { status: 'Error', message: `${error.message}. ${error.advice}` };
}

/** In the form that n8n calls. */
export async function callVerificationApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await testCredential(this, credential, systemClock);
}
