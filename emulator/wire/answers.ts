import { knownError } from '../../nodes/CallVerification/contract/errorCodes';
import { errorObject } from '../service/refusals';
import type { EmulatorSettings } from '../settings';
import type { DecidingFault } from './faults';

/** What the client gets: an HTTP response, or the end of the connection. */
export type WireAnswer =
	| {
			kind: 'http';
			status: number;
			contentType: string | undefined;
			headers: Record<string, string>;
			payload: string;
	  }
	| { kind: 'reset' };

export function withHeaders(answer: WireAnswer, headers: Record<string, string>): WireAnswer {
	if (answer.kind === 'reset') return answer;
	return { ...answer, headers: { ...headers, ...answer.headers } };
}

export function jsonAnswer(
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
): WireAnswer {
	return {
		kind: 'http',
		status,
		contentType: 'application/json; charset=utf-8',
		headers,
		payload: JSON.stringify(body),
	};
}

/** A record of the contract as the service that is played sends it. */
export function wireRecord(
	record: Readonly<Record<string, unknown>>,
	{ fieldNames, leftOutIfEmpty }: Pick<EmulatorSettings, 'fieldNames' | 'leftOutIfEmpty'>,
): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(record)
			.filter(([name, value]) => !(leftOutIfEmpty.includes(name) && isEmpty(value)))
			.map(([name, value]) => [fieldNames[name] ?? name, value]),
	);
}

function isEmpty(value: unknown): boolean {
	return value === '' || value === false || (Array.isArray(value) && value.length === 0);
}

export function strikesBeforeProcessing(fault: DecidingFault): boolean {
	switch (fault.kind) {
		case 'resetAfterProcessing':
		case 'halfJson':
			return false;
		case 'html':
		case 'empty':
			return fault.processed !== true;
		case 'errorCode':
		case 'httpStatus':
		case 'resetBeforeProcessing':
		case 'tooManyRequests':
			return true;
	}
}

/** The HTTP status of an error response. */
export function statusOf(code: number, errorStatus: EmulatorSettings['errorStatus']): number {
	const isSent = {
		'200': false,
		only429: code === 429,
		matching: code >= 400 && code <= 599,
	};
	return isSent[errorStatus] ? code : 200;
}

/** The response that a client gets instead of the real one. */
export function faultyAnswer(
	fault: DecidingFault,
	truthful: WireAnswer | undefined,
	settings: Pick<EmulatorSettings, 'errorStatus'>,
	now: number,
): WireAnswer {
	switch (fault.kind) {
		case 'resetBeforeProcessing':
		case 'resetAfterProcessing':
			return { kind: 'reset' };
		case 'errorCode': {
			const { code, message = knownError(code)?.meaning ?? `Error ${code}` } = fault;
			return jsonAnswer(statusOf(code, settings.errorStatus), errorObject(code, message));
		}
		case 'httpStatus': {
			const { status } = fault;
			return jsonAnswer(status, errorObject(status, `HTTP status ${status}`));
		}
		case 'tooManyRequests':
			return tooManyRequests(retryAfter(fault.retryAfterSeconds, fault.retryAfterAs, now));
		case 'html':
			return {
				kind: 'http',
				status: fault.status ?? 502,
				contentType: 'text/html; charset=utf-8',
				headers: {},
				payload: '<!doctype html><html><body><h1>Bad gateway</h1></body></html>',
			};
		case 'empty':
			return {
				kind: 'http',
				status: fault.status ?? 200,
				contentType: undefined,
				headers: {},
				payload: '',
			};
		case 'halfJson':
			return truthful === undefined ? { kind: 'reset' } : half(truthful);
	}
}

/** Throttling happens in front of the service, so its HTTP status is always 429, unlike that of errors. */
export function tooManyRequests(retryAfterValue: string | undefined): WireAnswer {
	const headers = retryAfterValue === undefined ? undefined : { 'retry-after': retryAfterValue };
	return jsonAnswer(429, errorObject(429, 'Too many requests: repeat later'), headers);
}

export function retryAfter(
	seconds: number | undefined,
	form: 'seconds' | 'date' | undefined,
	now: number,
): string | undefined {
	if (seconds === undefined) return undefined;
	if (form !== 'date') return String(seconds);
	// An HTTP date has whole seconds; rounding up never lets the client retry too early.
	return new Date(Math.ceil(now / 1000 + seconds) * 1000).toUTCString();
}

function half(answer: WireAnswer): WireAnswer {
	if (answer.kind === 'reset') return answer;
	return { ...answer, payload: answer.payload.slice(0, Math.floor(answer.payload.length / 2)) };
}
