import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { getBalance } from '../contract/methods';
import { InputError } from '../contract/request';
import { settled } from '../pacing/time';
import { authenticate, readAccess } from './credential';
import { ServiceError } from './errors';
import { pipeline, readRecord, sendHttp, type Step, systemClock, timeOut } from './pipeline';
import { neverHtml } from './redact';
import type { HttpResponse } from './response';

/**
 * Gets the balance, which works with every scheme, and reports what the node would report. A declarative test could not:
 * for responses with an HTTP error status, n8n 1.x shows its own text.
 */
export async function callVerificationApiTest(
	this: ICredentialTestFunctions,
	{ data: credential = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	// The only request helper that n8n has for credential tests takes the older form, and does not authenticate.
	const httpRequest = async ({ url: uri, ...http }: IHttpRequestOptions) => {
		const options = { ...http, uri, simple: false, resolveWithFullResponse: true };
		return (await helpers.request(options)) as HttpResponse;
	};
	const authenticated: Step = async (request, next) =>
		await next({ ...request, http: await authenticate(credential, request.http) });
	const test = async () => {
		const access = readAccess(credential);
		const steps = [readRecord(access), timeOut(systemClock), authenticated, sendHttp(httpRequest)];
		// Short, because a person is waiting in the dialog.
		await pipeline(access, steps)(getBalance, {}, { timeout: 15_000, maxRetries: 0 });
	};
	const result = await settled(test());
	if (result.status === 'fulfilled') return { status: 'OK', message: 'Connection successful!' };
	const error: unknown = result.reason;
	if (!(error instanceof ServiceError || error instanceof InputError)) throw error;
	return { status: 'Error', message: neverHtml(`${error.message}. ${error.advice}`) };
}
