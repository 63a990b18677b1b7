import { type IDataObject, type IHttpRequestOptions, sleep } from 'n8n-workflow';
import type { z } from 'zod';

import { parseInput } from '../contract/request';
import type { ServiceMethod } from '../contract/methods';
import type { Limit, Outcome } from '../pacing/limit';
import { announcedLimit } from '../pacing/quota';
import { type Attempts, type GiveUp, LostAttempts, parseRetryAfter, retry } from '../pacing/retry';
import { anyStop, type Clock, settled, timeouts } from '../pacing/time';
import type { Connection, HttpRequest, ServiceAccess } from './credential';
import * as errors from './errors';
import { createRedactor, createSecretFilter, withoutQuery } from './redact';
import { type HttpResponse, readResponse } from './response';

export const systemClock: Clock = {
	now: () => performance.now(),
	wallTime: () => Date.now(),
	sleep,
	// Accepts only whole milliseconds.
	timer: (milliseconds) => AbortSignal.timeout(Math.ceil(milliseconds)),
};

export interface PipelineOptions extends Connection {
	readonly giveUp: GiveUp;
	readonly limit: Limit;
	readonly clock: Clock;
	readonly random: typeof Math.random;
}

/** What a request goes through, in this order; the response, in reverse. The credential's test has fewer steps. */
export function requestSteps(options: PipelineOptions): Step[] {
	const { access, httpRequest, log, giveUp, limit, clock, random } = options;
	return [
		stopInTime(giveUp, clock),
		// Each retry goes through all steps after this one.
		retryFailures(giveUp, clock, random),
		takeTurn(limit, giveUp, clock),
		readRecord(access),
		logAttempt(log, clock),
		timeOut(clock, giveUp.timeOver),
		// n8n's request helper calls the credential's `authenticate` itself.
		sendHttp(httpRequest),
	];
}

/** A step changes a request for the steps after it, waits, and deals with their response or failure. */
export type Step = (request: ServiceRequest, next: Next) => Promise<HttpResponse>;
export type Next = (request: ServiceRequest) => Promise<HttpResponse>;

export interface ServiceRequest extends SendOptions {
	readonly method: ServiceMethod;
	readonly isRepeatable: boolean;
	/** Starts at 1. */
	readonly attempt: number;
	readonly isUrgent: boolean;
	readonly http: IHttpRequestOptions;
	/** Closes the connection. */
	readonly abort?: AbortSignal;
}

export interface SendOptions {
	/** Limit for one attempt, in milliseconds. */
	readonly timeout: number;
	readonly maxRetries: number;
	/** When a response to this request is too late to be useful, by `now()` of the clock. */
	readonly deadline?: number;
	/** Once aborted, no further attempt starts. */
	readonly stop?: AbortSignal;
	readonly onRetry?: () => void;
	readonly attempts?: Attempts;
}

/** Sends validated parameters, and returns the record that the service responds with. */
export type Send = <Method extends ServiceMethod>(
	method: Method,
	parameters: z.input<Method['request']>,
	options: SendOptions,
) => Promise<z.output<Method['response']>>;

/** Connects the steps, of which the last one sends the request. */
export function pipeline(access: ServiceAccess, steps: readonly Step[]): Send {
	const first = inOrder(steps);
	return async (method, parameters, options) => {
		const { body } = await first(serviceRequest(access, method, parameters, options));
		// `readRecord` has parsed it with this schema.
		return body as z.output<(typeof method)['response']>;
	};
}

/** From the last step to the first, because each one is given the next. */
function inOrder(steps: readonly Step[]): Next {
	let first: Next = () => Promise.reject(new Error('The last step did not send the request'));
	for (const step of [...steps].reverse()) {
		const next = first;
		first = (request) => step(request, next);
	}
	return first;
}

export function serviceRequest<Method extends ServiceMethod>(
	{ baseUrl }: ServiceAccess,
	method: Method,
	parameters: z.input<Method['request']>,
	options: SendOptions,
): ServiceRequest {
	const fields: IDataObject = parseInput(method.request, parameters);
	const sent = method.verb === 'POST' ? { body: fields } : { qs: fields };
	const http: IHttpRequestOptions = {
		method: method.verb,
		url: `${baseUrl}/v1.0/${method.name}`,
		...sent,
		json: true,
		// Makes n8n write a space as %20 instead of a plus sign, which not every server understands.
		arrayFormat: 'repeat',
		returnFullResponse: true,
		// n8n would repeat a request that fails with 401.
		ignoreHttpStatusErrors: true,
		// A redirect would send the key to another host.
		disableFollowRedirect: true,
	};
	const isRepeatable = canBeRepeated(method, fields);
	return { ...options, method, isRepeatable, attempt: 1, isUrgent: false, http };
}

function canBeRepeated({ repeatable }: ServiceMethod, fields: IDataObject): boolean {
	if (repeatable === 'withKey') return fields.unique !== undefined;
	return repeatable === 'always';
}

/** No attempt starts after the deadline, or once the run gives up. A failed call says so if it may have been made. */
export function stopInTime(giveUp: GiveUp, clock: Clock): Step {
	return async (request, next) => {
		const counted = new LostAttempts();
		const attempts: Attempts = {
			...request.attempts,
			lost() {
				counted.lost();
				request.attempts?.lost();
			},
		};
		const { stop, forget } = anyStop(request.stop, giveUp.signal, deadlineOf(request, clock));
		const result = await settled(next({ ...request, stop, attempts }));
		forget();
		if (result.status === 'fulfilled') return result.value;
		let error: unknown = result.reason;
		if (giveUp.reason !== undefined && !isFinalForOne(error)) {
			error = errors.givenUpError(giveUp.reason, error);
		}
		const mayHaveActed = counted.any && request.method.repeatable !== 'always';
		throw mayHaveActed ? errors.inDoubt(error) : error;
	};
}

function deadlineOf({ deadline }: ServiceRequest, clock: Clock): AbortSignal | undefined {
	if (deadline === undefined) return undefined;
	const left = deadline - clock.now();
	return left > 0 ? clock.timer(left) : AbortSignal.abort();
}

/** Such an error is about one request, and says nothing about the others. */
const isFinalForOne = (error: unknown) =>
	errors.isFinal(error) && !errors.concernsEverything(error);

export function retryFailures(giveUp: GiveUp, clock: Clock, random: () => number): Step {
	return (request, next) =>
		retry((isUrgent, attempt) => next({ ...request, isUrgent, attempt }), {
			maxRetries: request.maxRetries,
			adviceFor: (error) => {
				const isTemporary = error instanceof errors.ServiceError && !errors.isFinal(error);
				if (!isTemporary) return { retry: false };
				if (error.failure === 'rateLimited') return { retry: 'rateLimited' };
				// What is not repeatable is sent again only if it cannot have taken effect.
				const isSafe = request.isRepeatable || !errors.mayHaveActed(error);
				if (!isSafe) return { retry: false };
				return { retry: 'transient', afterMs: retryAfterMs(error, clock) };
			},
			isHopeless: (refusals, forMs) => giveUp.isHopeless(refusals, forMs),
			clock,
			random,
			stop: request.stop,
			beforeRetry: async () => {
				await request.attempts?.again?.();
				request.onRetry?.();
			},
		});
}

/** Waits for its turn, then tells the limit and the run how it went, and counts attempts that may have taken effect. */
export function takeTurn(limit: Limit, giveUp: GiveUp, clock: Clock): Step {
	return async (request, next) => {
		const leave = await limit.enter(request.stop, request.isUrgent);
		giveUp.sent();
		const response = next(request);
		const result = await settled(response);
		const isLost = result.status === 'rejected' && errors.mayHaveActed(result.reason);
		if (isLost) request.attempts?.lost();
		const outcome = outcomeOf(result, clock);
		giveUp.observe(outcome);
		leave(outcome);
		return await response;
	};
}

function outcomeOf(result: PromiseSettledResult<HttpResponse>, clock: Clock): Outcome {
	if (result.status === 'fulfilled') {
		return { kind: 'ok', announced: announcedLimit(result.value.headers) };
	}
	const error: unknown = result.reason;
	if (!(error instanceof errors.ServiceError)) return { kind: 'ok' };
	const { announced } = error;
	if (errors.concernsEverything(error)) {
		return { kind: 'refusesAll', error, isCertain: errors.isBlocked(error), announced };
	}
	if (errors.isFinal(error)) return { kind: 'ok', announced };
	const kind = error.failure === 'rateLimited' ? 'rateLimited' : 'overloaded';
	return { kind, error, retryAfterMs: retryAfterMs(error, clock), announced };
}

const retryAfterMs = ({ retryAfter }: errors.ServiceError, clock: Clock) =>
	parseRetryAfter(retryAfter, clock.wallTime());

/** Makes the body of the response the method's record, without the key, or throws a ServiceError. */
export function readRecord({ secretKey }: ServiceAccess): Step {
	const redact = createRedactor(secretKey);
	const withoutSecret = createSecretFilter(secretKey);
	return async (request, next) => {
		const response = await next(request);
		const { statusCode, headers } = response;
		const record: unknown = readResponse(request.method, response, redact);
		return { statusCode, headers, body: withoutSecret(record) };
	};
}

/** For n8n's log at debug level, without the key, the number and the code. */
export function logAttempt(log: Connection['log'], clock: Clock): Step {
	return async (request, next) => {
		const sentAt = clock.now();
		const response = next(request);
		const result = await settled(response);
		const ms = Math.round(clock.now() - sentAt);
		const url = withoutQuery(request.http.url);
		log(request.method.verb, `${url}: ${wordFor(result)} in ${ms} ms, attempt ${request.attempt}`);
		return await response;
	};
}

function wordFor(result: PromiseSettledResult<HttpResponse>): number | string {
	if (result.status === 'fulfilled') return result.value.statusCode;
	return result.reason instanceof errors.ServiceError ? result.reason.failure : 'failed';
}

/** n8n's own timeout only ends with silence: a slowly dripping body outlives it. No request outlives `timeOver`. */
export function timeOut(clock: Clock, timeOver?: AbortSignal): Step {
	const withTimeout = timeouts(clock, errors.timedOut, timeOver);
	return (request, next) => {
		const left = (request.deadline ?? Infinity) - clock.now();
		const timeout = Math.max(1, Math.min(request.timeout, left));
		const http = { ...request.http, timeout };
		return withTimeout(timeout, (abort) => next({ ...request, http, abort }));
	};
}

export function sendHttp(httpRequest: HttpRequest): Step {
	return async ({ http, abort }) => {
		try {
			return await httpRequest(http, abort);
		} catch (error) {
			// The error itself contains the key.
			throw errors.networkFailure(error);
		}
	};
}
