import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { z } from 'zod';

import type { Attempts } from '../pacing/attempts';
import { DeadlineError, type WithDeadline } from '../pacing/deadlines';
import { settle, unsettle } from '../pacing/settled';
import type { ServiceAccess } from './address';
import { methodUrl } from './address';
import type { HttpResponse } from './answer';
import { readAnswer } from './answer';
import { withoutQuery } from '../inbound/callbackUrl';
import type { ServiceMethod } from '../contract/methods';
import { parseInput } from '../contract/request';
import { type Failure, ServiceError } from './errors';
import { networkFailure, timedOut } from './networkFailure';
import { createRedactor } from './redact';

export interface ClientDependencies {
	/** Authenticates and sends; throws only if there is no response, for instance when told to give up. */
	readonly transport: (request: IHttpRequestOptions, giveUp: AbortSignal) => Promise<HttpResponse>;
	readonly withDeadline: WithDeadline;
	/** Follows each request; the returned function is called when it has ended. */
	readonly trace?: (request: TracedRequest) => (outcome: number | Failure) => void;
}

/** What may be said about a request in a log. */
export interface TracedRequest {
	readonly verb: string;
	/** Without the query, which may contain the key and a number. */
	readonly url: string;
	/** Starts at 1. */
	readonly attempt: number;
}

export interface AskOptions {
	/** Limit for the whole request, in milliseconds. */
	readonly timeout: number;
	/** How often the request has been sent before, plus one. */
	readonly attempt?: number;
	readonly attempts?: Pick<Attempts, 'lost'>;
	/** Called for every response, whether it is usable or not. */
	readonly onAnswer?: (answer: HttpResponse) => void;
}

/** A request with validated values. */
export interface ServiceRequest<Method extends ServiceMethod = ServiceMethod> {
	readonly method: Method;
	readonly fields: IDataObject;
	/** Whether it is safe to send twice. */
	readonly isRepeatable: boolean;
}

export function serviceRequest<Method extends ServiceMethod>(
	method: Method,
	parameters: z.input<Method['request']>,
): ServiceRequest<Method> {
	const fields: IDataObject = parseInput(method.request, parameters);
	const isRepeatable =
		method.repeatable === 'withKey' ? fields.unique !== undefined : method.repeatable === 'always';
	return { method, fields, isRepeatable };
}

/** Sends a request once and returns a validated record. */
export class ServiceClient {
	private readonly redact: (text: string) => string;

	constructor(
		private readonly access: ServiceAccess,
		private readonly dependencies: ClientDependencies,
	) {
		this.redact = createRedactor(access.secretKey);
	}

	async ask<Method extends ServiceMethod>(
		request: ServiceRequest<Method>,
		options: AskOptions,
	): Promise<z.output<Method['response']>> {
		const answer = await this.sendOnce(request, options);
		const result = await settle(async () => readAnswer(request.method, answer, this.redact));
		if (!result.ok && mayHaveActed(result.error)) options.attempts?.lost();
		options.onAnswer?.(answer);
		return unsettle(result);
	}

	private async sendOnce(
		{ method, fields }: ServiceRequest,
		options: AskOptions,
	): Promise<HttpResponse> {
		const { timeout, attempt = 1 } = options;
		const { transport, withDeadline, trace } = this.dependencies;
		const url = methodUrl(this.access.baseUrl, method.name);
		const request: IHttpRequestOptions = {
			method: method.verb,
			url,
			...(method.verb === 'POST' ? { body: fields } : { qs: fields }),
			timeout,
			json: true,
			// Makes n8n write a space as %20 instead of a plus sign, which not every server understands.
			arrayFormat: 'repeat',
			returnFullResponse: true,
			// n8n would repeat a request that fails with 401.
			ignoreHttpStatusErrors: true,
			// A redirect would send the key to another host.
			disableFollowRedirect: true,
		};
		const ended = trace?.({ verb: method.verb, url: withoutQuery(url), attempt });
		// n8n's own timeout only ends with silence: a slowly dripping body outlives it.
		const answer = await settle(
			async () => await withDeadline(timeout, async (giveUp) => await transport(request, giveUp)),
		);
		if (answer.ok) {
			ended?.(answer.value.statusCode);
			return answer.value;
		}
		const error = answer.error instanceof DeadlineError ? timedOut() : networkFailure(answer.error);
		ended?.(error.failure);
		if (mayHaveActed(error)) options.attempts?.lost();
		throw error;
	}
}

/** Whether a request that was sent may have taken effect although there is no usable response. */
function mayHaveActed(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return true;
	return ['unanswered', 'unavailable', 'garbled', 'unusable'].includes(error.failure);
}
