import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import type { z } from 'zod';

import { parseInput } from '../contract/request';
import type { ServiceMethod } from '../contract/methods';
import { announcedLimit } from '../pacing/quota';
import type { Clock } from '../pacing/clock';
import type { GiveUp } from '../pacing/giveUp';
import type { RateLimit } from '../pacing/rateLimit';
import type { Limit, Outcome } from '../pacing/requestQueue';
import { type Attempts, parseRetryAfter, retry, type RetryAdvice } from '../pacing/retry';
import { anyStop, TimeoutError, timeouts } from '../pacing/stop';
import { authenticate } from './authenticate';
import { type Connection, type HttpRequest, readAccess, type ServiceAccess } from './credential';
import { concernsEverything, givenUpError, isFinal, mayHaveActed, ServiceError } from './errors';
import { networkFailure, timedOut } from './networkFailure';
import { createRedactor, withoutQuery } from './redact';
import { type HttpResponse, readResponse } from './response';

/** What all requests of a run share. */
export interface PipelineOptions extends Connection {
	readonly giveUp: GiveUp;
	readonly limit: Limit;
	/** Undefined if the user has not set one. */
	readonly rateLimit: RateLimit | undefined;
	readonly clock: Clock;
	/** From 0 up to, but not including, 1. */
	readonly random: () => number;
}

/** What a request goes through, in this order. The response comes back in reverse order. */
export function requestSteps({
	access,
	httpRequest,
	log,
	giveUp,
	limit,
	rateLimit,
	clock,
	random,
}: PipelineOptions): Step[] {
	return [
		stopOnGiveUp(giveUp),
		stopAtDeadline(clock),
		// Each retry goes through all steps after this one.
		retryFailures(giveUp, clock, random),
		limitConcurrency(limit, clock),
		limitRate(rateLimit),
		reportOutcome(giveUp, clock),
		readRecord(access),
		addressToService(access),
		logAttempt(log, clock),
		timeOut(clock),
		// n8n's request helper calls the credential's `authenticate` itself.
		send(httpRequest),
	];
}

/** The same for a credential test: one attempt, with a request helper that does not authenticate. */
export function credentialTestSteps(
	credential: ICredentialDataDecryptedObject,
	clock: Clock,
	httpRequest: HttpRequest,
): Step[] {
	const access = readAccess(credential);
	return [
		readRecord(access),
		addressToService(access),
		timeOut(clock),
		authenticateWith(credential),
		send(httpRequest),
	];
}

/** A step changes a request for the steps after it, waits, and deals with their response or failure. */
export type Step = (request: ServiceRequest, next: Next) => Promise<HttpResponse>;
export type Next = (request: ServiceRequest) => Promise<HttpResponse>;

export interface ServiceRequest extends SendOptions {
	readonly method: ServiceMethod;
	/** Whether it is safe to send twice. */
	readonly isRepeatable: boolean;
	/** Starts at 1. */
	readonly attempt: number;
	/** Goes before others. */
	readonly isUrgent: boolean;
	readonly http: IHttpRequestOptions;
	/** Closes the connection. */
	readonly abort?: AbortSignal;
}

export interface SendOptions {
	/** Limit for one attempt, in milliseconds. */
	readonly timeout: number;
	readonly maxRetries: number;
	/** When a response is too late to be useful, by the run's clock. */
	readonly deadline?: number;
	/** Once aborted, no further attempt starts. */
	readonly stop?: AbortSignal;
	readonly onRetry?: () => void;
	readonly attempts?: Attempts;
}

/** Connects the steps, of which the last one sends the request. */
export function pipeline(steps: readonly Step[]): Next {
	const unsent: Next = () => Promise.reject(new Error('The last step did not send the request'));
	return steps.reduceRight<Next>((next, step) => (request) => step(request, next), unsent);
}

/** Sends validated parameters through a pipeline, and returns the record that the service responds with. */
export async function sendThrough<Method extends ServiceMethod>(
	firstStep: Next,
	method: Method,
	parameters: z.input<Method['request']>,
	options: SendOptions,
): Promise<z.output<Method['response']>> {
	const { body } = await firstStep(serviceRequest(method, parameters, options));
	// `readRecord` has parsed it with this schema.
	return body as z.output<Method['response']>;
}

export function serviceRequest<Method extends ServiceMethod>(
	method: Method,
	parameters: z.input<Method['request']>,
	options: SendOptions,
): ServiceRequest {
	const fields: IDataObject = parseInput(method.request, parameters);
	const isRepeatable =
		method.repeatable === 'withKey' ? fields.unique !== undefined : method.repeatable === 'always';
	const http: IHttpRequestOptions = {
		method: method.verb,
		url: `/v1.0/${method.name}`,
		...(method.verb === 'POST' ? { body: fields } : { qs: fields }),
		json: true,
		// Makes n8n write a space as %20 instead of a plus sign, which not every server understands.
		arrayFormat: 'repeat',
		returnFullResponse: true,
		// n8n would repeat a request that fails with 401.
		ignoreHttpStatusErrors: true,
		// A redirect would send the key to another host.
		disableFollowRedirect: true,
	};
	return { ...options, method, isRepeatable, attempt: 1, isUrgent: false, http };
}

/** Once the run gives up, requests end with the reason for that. */
export function stopOnGiveUp(giveUp: GiveUp): Step {
	return async (request, next) => {
		let hasLostAttempt = false;
		const lost = () => {
			hasLostAttempt = true;
			request.attempts?.lost();
		};
		const attempts = { ...request.attempts, lost };
		const { stop, forget } = anyStop(request.stop, giveUp.signal);
		const [result] = await Promise.allSettled([next({ ...request, stop, attempts })]);
		forget();
		if (result.status === 'rejected' && giveUp.reason && !isFinalForOne(result.reason)) {
			const isDoubtful = hasLostAttempt && request.method.repeatable !== 'always';
			throw givenUpError(giveUp.reason, result.reason, isDoubtful);
		}
		return responseOf(result);
	};
}

function responseOf(result: PromiseSettledResult<HttpResponse>): HttpResponse {
	if (result.status === 'rejected') throw result.reason;
	return result.value;
}

/** Such an error is about one request, and says nothing about the others. */
function isFinalForOne(error: unknown): boolean {
	return error instanceof ServiceError && isFinal(error) && !concernsEverything(error);
}

export function stopAtDeadline(clock: Clock): Step {
	return (request, next) => {
		if (request.deadline === undefined) return next(request);
		const tooLate = clock.timer(Math.max(0, request.deadline - clock.now()));
		const { stop, forget } = anyStop(request.stop, tooLate);
		return next({ ...request, stop }).finally(forget);
	};
}

export function retryFailures(giveUp: GiveUp, clock: Clock, random: () => number): Step {
	return (request, next) =>
		retry((isUrgent, attempt) => next({ ...request, isUrgent, attempt }), {
			maxRetries: request.maxRetries,
			adviceFor: (error) => retryAdvice(error, request.isRepeatable, clock),
			isHopeless: (refusals, forMs) => giveUp.isHopeless(refusals, forMs),
			clock,
			random,
			stop: request.stop,
			onRetry: async () => {
				await request.attempts?.again?.();
				request.onRetry?.();
			},
		});
}

/** A request that is not repeatable is only sent again if it cannot have taken effect. */
function retryAdvice(error: unknown, isRepeatable: boolean, clock: Clock): RetryAdvice {
	if (!(error instanceof ServiceError)) return { retry: false };
	switch (error.failure) {
		case 'unusable':
		case 'refused':
			return { retry: false };
		case 'rateLimited':
			return { retry: 'rateLimited' };
		case 'unreachable':
		case 'insecure':
			return { retry: 'transient' };
		default:
			return isRepeatable
				? { retry: 'transient', afterMs: retryAfterMs(error, clock) }
				: { retry: false };
	}
}

/** Takes one of the slots for requests in flight, and tells the limit how it went. */
export function limitConcurrency(limit: Limit, clock: Clock): Step {
	return async (request, next) => {
		const slot = await limit.enter(request.stop, request.isUrgent);
		const [result] = await Promise.allSettled([next(request)]);
		slot.leave(outcomeOf(result, clock));
		return responseOf(result);
	};
}

/** Holds its slot meanwhile: waiting for a slot after this would turn an even rate into bursts. */
export function limitRate(rateLimit: RateLimit | undefined): Step {
	if (rateLimit === undefined) return (request, next) => next(request);
	return async (request, next) => {
		await rateLimit(request.stop);
		return await next(request);
	};
}

/** Lets the run decide whether to give up, and counts attempts that may have taken effect. */
export function reportOutcome(giveUp: GiveUp, clock: Clock): Step {
	return async (request, next) => {
		giveUp.sent();
		const [result] = await Promise.allSettled([next(request)]);
		if (result.status === 'rejected' && mayHaveActed(result.reason)) request.attempts?.lost();
		giveUp.observe(outcomeOf(result, clock));
		return responseOf(result);
	};
}

function outcomeOf(result: PromiseSettledResult<HttpResponse>, clock: Clock): Outcome {
	if (result.status === 'fulfilled') {
		return { kind: 'ok', announced: announcedLimit(result.value.headers) };
	}
	const error: unknown = result.reason;
	if (!(error instanceof ServiceError)) return { kind: 'ok' };
	const { announced } = error;
	if (isFinal(error)) {
		return concernsEverything(error)
			? { kind: 'refusesAll', error, announced }
			: { kind: 'ok', announced };
	}
	const kind = error.failure === 'rateLimited' ? 'rateLimited' : 'overloaded';
	return { kind, error, retryAfterMs: retryAfterMs(error, clock), announced };
}

function retryAfterMs({ retryAfter }: ServiceError, clock: Clock): number | undefined {
	return parseRetryAfter(retryAfter, clock.wallTime());
}

/** Makes the body of the response the method's record, or throws a ServiceError. */
export function readRecord(access: ServiceAccess): Step {
	const redact = createRedactor(access.secretKey);
	return async (request, next) => {
		const response = await next(request);
		const { statusCode, headers } = response;
		return { statusCode, headers, body: readResponse(request.method, response, redact) };
	};
}

export function addressToService(access: ServiceAccess): Step {
	return (request, next) => {
		const url = `${access.baseUrl}${request.http.url}`;
		return next({ ...request, http: { ...request.http, url } });
	};
}

/** For n8n's log at debug level, without the key, the number and the code. */
export function logAttempt(log: Connection['log'], clock: Clock): Step {
	return async (request, next) => {
		const sentAt = clock.now();
		const [result] = await Promise.allSettled([next(request)]);
		const ms = Math.round(clock.now() - sentAt);
		const url = withoutQuery(request.http.url);
		log(request.method.verb, `${url}: ${wordFor(result)} in ${ms} ms, try ${request.attempt}`);
		return responseOf(result);
	};
}

function wordFor(result: PromiseSettledResult<HttpResponse>): number | string {
	if (result.status === 'fulfilled') return result.value.statusCode;
	return result.reason instanceof ServiceError ? result.reason.failure : 'failed';
}

export function timeOut(clock: Clock): Step {
	const withTimeout = timeouts(clock);
	return async (request, next) => {
		const left = (request.deadline ?? Infinity) - clock.now();
		const timeout = Math.max(1, Math.min(request.timeout, left));
		const http = { ...request.http, timeout };
		try {
			// n8n's own timeout only ends with silence: a slowly dripping body outlives it.
			return await withTimeout(timeout, (abort) => next({ ...request, http, abort }));
		} catch (error) {
			throw error instanceof TimeoutError ? timedOut() : error;
		}
	};
}

export function authenticateWith(credential: ICredentialDataDecryptedObject): Step {
	return async (request, next) =>
		await next({ ...request, http: await authenticate(credential, request.http) });
}

export function send(httpRequest: HttpRequest): Step {
	return async ({ http, abort }) => {
		try {
			return await httpRequest(http, abort);
		} catch (error) {
			// The error itself contains the key.
			throw networkFailure(error);
		}
	};
}
