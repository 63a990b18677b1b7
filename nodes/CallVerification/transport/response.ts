import type { z } from 'zod';

import { CHECK_ADDRESS, knownError } from '../contract/errorCodes';
import { isRecord } from '../contract/fields';
import type { ServiceMethod } from '../contract/methods';
import { announcedLimit } from '../pacing/quota';
import { type Failure, ServiceError } from './errors';
import { excerpt } from './redact';

/** What the request helper returns as the full response. */
export interface HttpResponse {
	readonly statusCode: number;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly body: unknown;
}

/**
 * Turns an HTTP response into the method's record. The error object counts whatever the HTTP status is, because the
 * contract leaves the status open.
 */
export function readResponse<Method extends ServiceMethod>(
	method: Method,
	response: HttpResponse,
	redact: (text: string) => string,
): z.output<Method['response']> {
	const { statusCode, headers, body } = response;
	if (statusCode >= 300 && statusCode < 400) throw redirected(response);
	if (!isRecord(body)) throw notAnObject(response, redact);
	const record = method.response.safeParse(body);
	const isRefusal = saysNo(body) && !(record.success && isResult(body, record.data));
	if (isRefusal || statusCode >= 400) throw refused(method, body, response, redact);
	if (record.success) return record.data;
	const hasReason = wordsOf(body) !== undefined && body.status !== true;
	if (hasReason) throw refused(method, body, response, redact);
	const problems = record.error.issues.map(({ path, message }) => `“${path.join('.')}” ${message}`);
	throw new ServiceError(`Incomplete response from the verification service: ${problems.join()}`, {
		failure: 'unusable',
		advice: `Check “Base URL” in the credential. The response began with: ${excerpt(redact(JSON.stringify(body)))}`,
		announced: announcedLimit(headers),
	});
}

/** `status: false` marks the error object of section 7. */
function saysNo({ status }: Record<string, unknown>): boolean {
	return [false, 'false', 0].some((value) => status === value);
}

/**
 * Two records may say `status: false` too: a call that could not be connected, which has an ID but no `error`, and the
 * check of an invalid number, whose `error` has no `code`.
 */
function isResult(body: Record<string, unknown>, record: Record<string, unknown>): boolean {
	const isCall = record.vendor_id !== undefined && wordsOf(body) === undefined;
	const isCheck = body.source !== undefined && body.code === undefined;
	return isCall || isCheck;
}

function refused(
	method: ServiceMethod,
	body: Record<string, unknown>,
	{ statusCode, headers }: HttpResponse,
	redact: (text: string) => string,
): ServiceError {
	const code = codeOf(body) ?? (statusCode >= 400 ? statusCode : undefined);
	const own = code === undefined ? undefined : method.errors?.[code];
	const noWords = statusCode >= 400 ? `HTTP status ${statusCode}` : 'no reason given';
	const words = excerpt(redact(wordsOf(body) ?? knownError(code)?.meaning ?? noWords));
	const isErrorCode = typeof body.code === 'number' && body.status !== true;
	const said = isErrorCode ? `${words} (code ${String(body.code)})` : words;
	const message =
		own === undefined
			? `The verification service refused the request: ${said}`
			: `${own.meaning}: ${said}`;
	return new ServiceError(message, {
		failure: failureFor(code),
		advice: own?.advice ?? adviceFor(code),
		code,
		words,
		retryAfter: retryAfterIn(headers),
		announced: announcedLimit(headers),
	});
}

function notAnObject(
	{ statusCode, headers, body }: HttpResponse,
	redact: (text: string) => string,
): ServiceError {
	const began = describe(body, redact);
	const announced = announcedLimit(headers);
	if (statusCode >= 400) {
		return new ServiceError(`The verification service responded with HTTP status ${statusCode}`, {
			failure: failureFor(statusCode),
			advice: `${adviceFor(statusCode)} ${began}`,
			code: statusCode,
			retryAfter: retryAfterIn(headers),
			announced,
		});
	}
	return new ServiceError('Unexpected response from the verification service', {
		failure: typeof body === 'string' ? 'garbled' : 'unusable',
		advice: `Check “Base URL” in the credential: it must point to the service itself, not to a website or a proxy. ${began}`,
		announced,
	});
}

function redirected({ statusCode, headers }: HttpResponse): ServiceError {
	const location = String(headers.location);
	// Only the origin, because the rest of the URL may contain the key.
	const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
	return new ServiceError(`The address of the verification service redirects${target}`, {
		failure: 'refused',
		advice:
			'The key is never sent to another address. If the new address is correct, enter it as “Base URL” in the credential.',
		code: statusCode,
		announced: announcedLimit(headers),
	});
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

/**
 * The service's own code, if it is known or looks like an HTTP status: the contract does not say whether the two are
 * equal. Text of four digits is not an error code but may be the code of a call.
 */
function codeOf({ code }: Record<string, unknown>): number | undefined {
	const isText = typeof code === 'string' && /^\d{1,3}$/.test(code);
	const number = isText ? Number(code) : code;
	if (typeof number !== 'number') return undefined;
	return knownError(number) !== undefined || isHttpError(number) ? number : undefined;
}

function failureFor(code: number | undefined): Failure {
	if (knownError(code)?.concerns === 'everything, for now') return 'rateLimited';
	return isItsOwnProblem(code) ? 'unavailable' : 'refused';
}

function isItsOwnProblem(code: number | undefined): boolean {
	return code === 408 || (isHttpError(code) && code >= 500);
}

function isHttpError(code: number | undefined): code is number {
	return code !== undefined && Number.isInteger(code) && code >= 400 && code <= 599;
}

function adviceFor(code: number | undefined): string {
	const known = knownError(code);
	if (known !== undefined) return known.advice;
	switch (code) {
		case 402:
			return 'Check your balance with the service.';
		case 403:
			return 'Check the number, and what your service allows in your account.';
		case 404:
			return CHECK_ADDRESS;
		default:
			return isItsOwnProblem(code)
				? 'The service itself has a problem. Try again later.'
				: 'Check the values of this item. If they are correct, try again later.';
	}
}

function retryAfterIn(headers: HttpResponse['headers']): string | undefined {
	const value = headers['retry-after'];
	return typeof value === 'string' ? value : undefined;
}
