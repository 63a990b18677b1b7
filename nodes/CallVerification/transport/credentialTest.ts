import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { getBalance } from '../contract/methods';
import { InputError } from '../contract/request';
import { type Clock, settled } from '../pacing/time';
import { authenticate, readAccess } from './credential';
import { ServiceError } from './errors';
import { pipeline, readRecord, send, type Step, systemClock, timeOut } from './pipeline';
import type { HttpResponse } from './response';

/** Short, because a person is waiting in the dialog. */
const OPTIONS = { timeout: 15_000, maxRetries: 0 };

/**
 * The credential test: gets the balance, which works with every scheme, and reports what the node would report. A
 * declarative test could not: for responses with an HTTP error status, n8n 1.x shows its own text.
 */
export async function testCredential(
	context: ICredentialTestFunctions,
	{ data: credential = {} }: ICredentialsDecrypted,
	clock: Clock,
): Promise<INodeCredentialTestResult> {
	// The only request helper that n8n has for credential tests takes the older form, and does not authenticate.
	const httpRequest = async ({ url: uri, ...http }: IHttpRequestOptions) => {
		const options = { ...http, uri, simple: false, resolveWithFullResponse: true };
		return (await context.helpers.request(options)) as HttpResponse;
	};
	const authenticated: Step = async (request, next) =>
		await next({ ...request, http: await authenticate(credential, request.http) });
	const test = async () => {
		const access = readAccess(credential);
		const steps = [readRecord(access), timeOut(clock), authenticated, send(httpRequest)];
		await pipeline(access, steps)(getBalance, {}, OPTIONS);
	};
	const result = await settled(test());
	if (result.status === 'fulfilled') return { status: 'OK', message: 'Connection successful!' };
	const error: unknown = result.reason;
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
