import type { z } from 'zod';

import type { ServiceMethod } from './contract/serviceMethod';
import type { Failure } from './errors';
import { ServiceError } from './errors';
import { isRecord } from './record';
import { excerpt } from './redact';

/** What the request helper returns as the full response. */
export interface HttpAnswer {
	readonly statusCode: number;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly body: unknown;
}

/**
 * Turns an HTTP response into the method's record. The error object counts whatever the HTTP status is, because the
 * contract leaves the status open.
 */
export function readAnswer<Method extends ServiceMethod>(
	method: Method,
	answer: HttpAnswer,
	redact: (text: string) => string,
): z.output<Method['answer']> {
	if (answer.statusCode >= 300 && answer.statusCode < 400) throw redirected(answer);
	if (!isRecord(answer.body)) throw notAnObject(answer, redact);
	if (isErrorObject(answer.body) || answer.statusCode >= 400) {
		throw refused(answer.body, answer, redact);
	}
	const record = method.answer.safeParse(answer.body);
	if (record.success) return record.data;
	const isRefusal = wordsOf(answer.body) !== undefined && answer.body.status !== true;
	if (isRefusal) throw refused(answer.body, answer, redact);
	const problems = record.error.issues.map(({ path, message }) => `“${path.join()}” ${message}`);
	throw new ServiceError(`Incomplete response from the verification service: ${problems.join()}`, {
		failure: 'unusable',
		advice: `Check “Base URL” in the credential. The response began with: ${excerpt(redact(JSON.stringify(answer.body)))}`,
	});
}

/**
 * `status: false` marks the error object of section 7. But a record with a `source` and without a `code` is the result
 * of a phone check, which reports an invalid number this way.
 */
function isErrorObject(body: Record<string, unknown>): boolean {
	const isCheckResult = body.source !== undefined && body.code === undefined;
	return !isCheckResult && [false, 'false', 0].some((value) => body.status === value);
}

function refused(
	body: Record<string, unknown>,
	answer: HttpAnswer,
	redact: (text: string) => string,
): ServiceError {
	const status = statusOf(body, answer);
	const silence = answer.statusCode >= 400 ? `HTTP status ${answer.statusCode}` : 'no reason given';
	const words = excerpt(redact(wordsOf(body) ?? silence));
	const isErrorCode = typeof body.code === 'number' && body.status !== true;
	const code = isErrorCode ? ` (code ${String(body.code)})` : '';
	return new ServiceError(`The verification service refused the request: ${words}${code}`, {
		failure: failureFor(status),
		advice: adviceFor(status),
		status,
		retryAfter: retryAfterOf(answer),
	});
}

function notAnObject(answer: HttpAnswer, redact: (text: string) => string): ServiceError {
	const came = describe(answer.body, redact);
	if (answer.statusCode >= 400) {
		return new ServiceError(
			`The verification service responded with HTTP status ${answer.statusCode}`,
			{
				failure: failureFor(answer.statusCode),
				advice: `${adviceFor(answer.statusCode)} ${came}`,
				status: answer.statusCode,
				retryAfter: retryAfterOf(answer),
			},
		);
	}
	return new ServiceError('Unexpected response from the verification service', {
		failure: typeof answer.body === 'string' ? 'garbled' : 'unusable',
		advice: `Check “Base URL” in the credential: it must point to the service itself, not to a website or a proxy. ${came}`,
	});
}

function redirected(answer: HttpAnswer): ServiceError {
	const location = String(answer.headers.location);
	// Only the origin, because the rest of the URL may contain the key.
	const target = URL.canParse(location) ? new URL(location).origin : '';
	return new ServiceError(
		`The address of the verification service redirects${target === '' ? '' : ` to ${target}`}`,
		{
			failure: 'refused',
			advice:
				'The key is never sent to another address. If the new address is correct, enter it as “Base URL” in the credential.',
			status: answer.statusCode,
		},
	);
}

function describe(body: unknown, redact: (text: string) => string): string {
	if (body === null || body === undefined || body === '') return 'The response was empty.';
	if (Array.isArray(body))
		return `The response was a list: ${excerpt(redact(JSON.stringify(body)))}`;
	return `The response began with: ${excerpt(redact(String(body)))}`;
}

function wordsOf(body: Record<string, unknown>): string | undefined {
	const words = body.error ?? body.message;
	if (typeof words === 'string' && words.trim() !== '') return words;
	return isRecord(words) || Array.isArray(words) ? JSON.stringify(words) : undefined;
}

/** The contract does not say whether the HTTP status equals `code`, so `code` counts if it looks like a status. */
function statusOf(body: Record<string, unknown>, answer: HttpAnswer): number | undefined {
	const code = typeof body.code === 'number' ? String(body.code) : body.code;
	if (typeof code === 'string' && /^[45]\d\d$/.test(code)) return Number(code);
	return answer.statusCode >= 400 ? answer.statusCode : undefined;
}

function failureFor(status: number | undefined): Failure {
	if (status === 429) return 'throttled';
	return isItsOwnProblem(status) ? 'unavailable' : 'refused';
}

function isItsOwnProblem(status: number | undefined): boolean {
	return status === 408 || (status ?? 0) >= 500;
}

function adviceFor(status: number | undefined): string {
	switch (status) {
		case 401:
		case 403:
			return 'Check “Secret Key”, “Service ID” and “Authentication Scheme” in the credential. You can find the key and the ID under My services in your account.';
		case 402:
			return 'Check your balance with the service.';
		case 404:
		case 405:
			return 'Check “Base URL” in the credential, and the call ID if the operation takes one.';
		case 429:
			return 'The service is receiving too many requests. Send fewer at a time, or try again later.';
		default:
			return isItsOwnProblem(status)
				? 'The service itself has a problem. Try again later.'
				: 'Check the values of this item. If they are correct, try again later.';
	}
}

function retryAfterOf(answer: HttpAnswer): string | undefined {
	const value = answer.headers['retry-after'];
	return typeof value === 'string' ? value : undefined;
}
