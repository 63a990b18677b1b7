import type { z } from 'zod';

import { CHECK_ADDRESS, knownError } from '../contract/errorCodes';
import { isRecord } from '../contract/fields';
import type { ServiceMethod } from '../contract/methods';
import { announcedLimit } from '../pacing/quota';
import { type ErrorDetails, type Failure, ServiceError } from './errors';
import { redactedExcerpt } from './redact';

export interface HttpResponse {
	readonly statusCode: number;
	readonly headers: Readonly<Record<string, unknown>>;
	/** As it was sent; after the step `readRecord`, the record. */
	readonly body: unknown;
}

type Body = Record<string, unknown>;
type Redact = (text: string) => string;

/**
 * Turns an HTTP response into the method's record. The error object counts whatever the HTTP status is, because the
 * contract leaves the status open.
 */
export function readResponse<Method extends ServiceMethod>(
	method: Method,
	response: HttpResponse,
	redact: Redact,
): z.output<Method['response']> {
	const { statusCode, body } = response;
	if (statusCode >= 300 && statusCode < 400) throw redirected(response);
	if (!isRecord(body)) throw notAnObject(response, redact);
	const record = method.response.safeParse(body);
	const saysNoAsResult = record.success && isResult(body, record.data);
	const isRefusal = saysNo(body) && !saysNoAsResult;
	if (isRefusal || statusCode >= 400) throw refused(method, body, response, redact);
	if (record.success) return record.data;
	const hasReason = wordsOf(body) !== undefined && body.status !== true;
	if (hasReason) throw refused(method, body, response, redact);
	const problems = record.error.issues.map(({ path, message }) => `“${path.join('.')}” ${message}`);
	throw failed(response, `Incomplete response from the verification service: ${problems.join()}`, {
		failure: 'unusable',
		advice: `Check the base URL in the credential. ${describe(body, redact)}`,
	});
}

/** `status: false` marks the error object of section 7. */
const saysNo = ({ status }: Body) => [false, 'false', 0].some((value) => status === value);

/**
 * Two records may say `status: false` too: a call that could not be connected, which has an ID but no `error`, and the
 * check of an invalid number, whose `error` has no `code`.
 */
function isResult(body: Body, record: Body): boolean {
	const isCall = record.vendor_id !== undefined && wordsOf(body) === undefined;
	const isCheck = body.source !== undefined && body.code === undefined;
	return isCall || isCheck;
}

function refused(method: ServiceMethod, body: Body, response: HttpResponse, redact: Redact) {
	const { statusCode } = response;
	const isHttpRefusal = statusCode >= 400;
	const code = codeOf(body) ?? (isHttpRefusal ? statusCode : undefined);
	const own = code === undefined ? undefined : method.errors?.[code];
	const noWords = isHttpRefusal ? `HTTP status ${statusCode}` : 'no reason given';
	const reason = wordsOf(body) ?? knownError(code)?.meaning ?? noWords;
	const words = redactedExcerpt(reason, redact);
	const isErrorCode = typeof body.code === 'number' && body.status !== true;
	const said = isErrorCode ? `${words} (code ${String(body.code)})` : words;
	const what = own ? `${own.meaning}:` : 'The verification service refused the request:';
	const advice = own?.advice ?? adviceFor(code);
	return failed(response, `${what} ${said}`, { failure: failureFor(code), advice, code, words });
}

function notAnObject(response: HttpResponse, redact: Redact) {
	const { statusCode: code, body } = response;
	const began = describe(body, redact);
	if (code >= 400) {
		const details = { failure: failureFor(code), advice: `${adviceFor(code)} ${began}`, code };
		return failed(response, `The verification service responded with HTTP status ${code}`, details);
	}
	return failed(response, 'Unexpected response from the verification service', {
		failure: typeof body === 'string' ? 'garbled' : 'unusable',
		advice: `Check the base URL in the credential: it must point to the service itself, not to a website or a proxy. ${began}`,
	});
}

function redirected(response: HttpResponse) {
	const location = String(response.headers.location);
	// Only the origin, because the rest of the URL may contain the key.
	const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
	return failed(response, `The address of the verification service redirects${target}`, {
		failure: 'refused',
		advice:
			'The key is never sent to another address. If the new address is correct, enter it as the base URL in the credential.',
		code: response.statusCode,
	});
}

/** With what the headers announce. Retry-After counts only with an error code. */
function failed({ headers }: HttpResponse, message: string, details: ErrorDetails): ServiceError {
	const header = headers['retry-after'];
	const retryAfter = details.code !== undefined && typeof header === 'string' ? header : undefined;
	return new ServiceError(message, { ...details, retryAfter, announced: announcedLimit(headers) });
}

function describe(body: unknown, redact: Redact): string {
	if (body === null || body === undefined || body === '') return 'The response was empty.';
	const text = typeof body === 'object' ? JSON.stringify(body) : String(body);
	const began = Array.isArray(body) ? 'was a list' : 'began with';
	return `The response ${began}: ${redactedExcerpt(text, redact)}`;
}

function wordsOf({ error, message }: Body): string | undefined {
	const words = error ?? message;
	if (typeof words === 'string' && words.trim() !== '') return words;
	return typeof words === 'object' && words !== null ? JSON.stringify(words) : undefined;
}

/**
 * The service's own code, if it is known or looks like an HTTP status: the contract does not say whether the two are
 * equal. Text of four digits is not an error code but may be the code of a call.
 */
function codeOf({ code }: Body): number | undefined {
	const isText = typeof code === 'string' && /^\d{1,3}$/.test(code);
	const number = isText ? Number(code) : code;
	if (typeof number !== 'number') return undefined;
	return knownError(number) !== undefined || isHttpError(number) ? number : undefined;
}

const isHttpError = (code: number) => Number.isInteger(code) && code >= 400 && code <= 599;

const isItsOwnProblem = (code: number | undefined) =>
	code !== undefined && (code === 408 || (isHttpError(code) && code >= 500));

function failureFor(code: number | undefined): Failure {
	if (knownError(code)?.concerns === 'everything, for now') return 'rateLimited';
	return isItsOwnProblem(code) ? 'unavailable' : 'refused';
}

const ADVICE_FOR_STATUS: Record<number, string> = {
	402: 'Check your balance with the service.',
	403: 'Check the number, and what your service allows in your account.',
	404: CHECK_ADDRESS,
};

function adviceFor(code: number | undefined): string {
	const ofStatus = code === undefined ? undefined : ADVICE_FOR_STATUS[code];
	const advice = knownError(code)?.advice ?? ofStatus;
	if (advice !== undefined) return advice;
	return isItsOwnProblem(code)
		? 'The service itself has a problem. Try again later.'
		: 'Check the values of this item. If they are correct, try again later.';
}
