import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { z } from 'zod';

import { DeadlineError, type WithDeadline } from '../runtime/deadlines';
import { settle, unsettle } from '../runtime/settled';
import { throwIfStopped } from '../runtime/stopped';
import type { ServiceAccess } from './address';
import { methodUrl } from './address';
import type { HttpAnswer } from './answer';
import { readAnswer } from './answer';
import { withoutQuery } from './callbackUrl';
import type { ServiceMethod } from './contract/serviceMethod';
import { getBalance } from './contract/getBalance';
import { parseInput } from './contract/requestValue';
import { type Failure, ServiceError } from './errors';
import { ADDRESS_ADVICE, networkFailure, timedOut } from './networkFailure';
import { createRedactor } from './redact';
import { Route } from './route';

export interface ClientDependencies {
	/** Authenticates and sends; throws only if there is no response, for instance when told to give up. */
	readonly transport: (request: IHttpRequestOptions, giveUp: AbortSignal) => Promise<HttpAnswer>;
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

/** Whether a request can have taken effect, across all of its attempts. */
export interface Effect {
	isPossible: boolean;
}

export interface AskOptions {
	/** Limit for the whole request, in milliseconds. */
	readonly timeout: number;
	/** The time left is shorter than the usual timeout, so a missing response is not the fault of the address. */
	readonly isCutShort?: boolean;
	/** How often the request has been sent before, plus one. */
	readonly attempt?: number;
	/** Sends nothing more once aborted, neither to a second address nor after testing one. */
	readonly stop?: AbortSignal;
	readonly effect?: Effect;
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

	private readonly route: Route;

	private proof: Promise<void> | undefined;

	constructor(
		access: ServiceAccess,
		private readonly dependencies: ClientDependencies,
	) {
		this.redact = createRedactor(access.secretKey);
		this.route = new Route(access.baseUrls);
	}

	async ask<Method extends ServiceMethod>(
		request: ServiceRequest<Method>,
		options: AskOptions,
	): Promise<z.output<Method['answer']>> {
		if (!request.isRepeatable && !this.route.isProven) {
			await this.proveAddress(options);
			throwIfStopped(options.stop);
		}
		const answer = await this.sendToReachable(request, options);
		const result = await settle(async () => readAnswer(request.method, answer, this.redact));
		if (result.ok || mayHaveActed(result.error)) note(options);
		return unsettle(result);
	}

	/**
	 * A request that must not be sent twice cannot be used to find out which address works. If there are two, a
	 * harmless request goes first, shared by all that wait for it.
	 */
	private async proveAddress(options: AskOptions): Promise<void> {
		this.proof ??= this.askForProof(options).finally(() => (this.proof = undefined));
		await this.proof;
	}

	private async askForProof(options: AskOptions): Promise<void> {
		const proof = await settle(
			async () => await this.ask(serviceRequest(getBalance, {}), { ...options, effect: undefined }),
		);
		// Any response shows that the address works.
		if (!proof.ok && !this.route.isProven) throw unproven(proof.error);
	}

	private async sendToReachable(request: ServiceRequest, options: AskOptions): Promise<HttpAnswer> {
		const address = this.route.preferred;
		const first = await settle(async () => await this.sendTo(address, request, options));
		if (first.ok) return first.value;
		if (isOwnFault(first.error, options)) throw first.error;
		const other = this.wayAround(address, request, first.error);
		if (other === undefined || options.stop?.aborted) throw first.error;
		return await this.sendTo(other, request, options);
	}

	private wayAround(
		address: number,
		{ isRepeatable }: ServiceRequest,
		error: unknown,
	): number | undefined {
		if (!(error instanceof ServiceError)) return undefined;
		const other = this.route.around(address, error.failure);
		if (other === undefined || isRepeatable) return other;
		const cannotHaveArrived = error.failure !== 'unanswered';
		return cannotHaveArrived && this.route.hasAnswered(other) ? other : undefined;
	}

	private async sendTo(
		address: number,
		{ method, fields }: ServiceRequest,
		options: AskOptions,
	): Promise<HttpAnswer> {
		const { timeout, attempt = 1 } = options;
		const { transport, withDeadline, trace } = this.dependencies;
		const url = methodUrl(this.route.urlOf(address), method.name);
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
			this.route.answered(address);
			return answer.value;
		}
		const error = answer.error instanceof DeadlineError ? timedOut() : networkFailure(answer.error);
		ended?.(error.failure);
		if (mayHaveActed(error)) note(options);
		if (!isOwnFault(error, options)) this.route.failed(address, error.failure);
		throw error;
	}
}

/** Whether a request that was sent may have taken effect although there is no usable response. */
function mayHaveActed(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return true;
	return ['unanswered', 'unavailable', 'garbled', 'unusable'].includes(error.failure);
}

function note({ effect }: AskOptions): void {
	if (effect) effect.isPossible = true;
}

/** Whatever happened to the test request, the one waiting for it was not sent. */
function unproven(error: unknown): unknown {
	if (!(error instanceof ServiceError) || error.failure !== 'unanswered') return error;
	return new ServiceError(error.message, { failure: 'unreachable', advice: ADDRESS_ADVICE });
}

function isOwnFault(error: unknown, { isCutShort = false }: AskOptions): boolean {
	return isCutShort && error instanceof ServiceError && error.failure === 'unanswered';
}
