import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readAccess } from './address';
import type { HttpAnswer } from './answer';
import { authenticate } from './authenticate';
import { serviceRequest, ServiceClient } from './client';
import { getBalance } from './contract/getBalance';
import { InputError, ServiceError } from './errors';
import type { Clock } from '../runtime/clock';
import { deadlines } from '../runtime/deadlines';
import { settle } from '../runtime/settled';
import { systemClock } from './systemClock';

/** Milliseconds. Somebody looks at the dialog meanwhile. */
const PATIENCE = 15_000;

/**
 * What the Test button of the credential does: it asks for the balance, which every scheme can, and says what the node
 * would say. A declarative test could not: n8n 1.x shows words of its own for whatever has an HTTP status.
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
				// The older form of a request: n8n has no other helper for tests of credentials.
				const options = { ...signed, uri, simple: false, resolveWithFullResponse: true };
				return (await context.helpers.request(options)) as HttpAnswer;
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

/** In the form in which n8n calls it. */
export async function callVerificationApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await testCredential(this, credential, systemClock);
}
