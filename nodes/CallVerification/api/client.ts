import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { z } from 'zod';

import type { Clock } from '../runtime/clock';
import { DeadlineError, type WithDeadline } from '../runtime/deadlines';
import type { Limit, Pushback } from '../runtime/limit';
import type { TakeTurn } from '../runtime/rateLimit';
import type { RetryAdvice } from '../runtime/retry';
import { retry } from '../runtime/retry';
import { parseRetryAfter } from '../runtime/retryAfter';
import { settle } from '../runtime/settled';
import { withSlot } from '../runtime/withSlot';
import type { ServiceAccess } from './address';
import { methodUrl } from './address';
import type { HttpAnswer } from './answer';
import { readAnswer } from './answer';
import type { ServiceMethod } from './contract/methods';
import { getBalance } from './contract/methods';
import { parseInput } from './contract/requestValue';
import { ServiceError } from './errors';
import { networkFailure, timedOut } from './networkFailure';
import { createRedactor } from './redact';

export interface ClientDependencies {
	/** Authenticates and sends; throws only when no answer came, as when it is told to give up. */
	readonly transport: (request: IHttpRequestOptions, giveUp: AbortSignal) => Promise<HttpAnswer>;
	readonly withDeadline: WithDeadline;
	/** Every request passes it, a retry like a first try. */
	readonly limit: Limit;
	readonly takeTurn: TakeTurn;
	readonly clock: Clock;
	readonly random: () => number;
}

export interface SendOptions {
	/** Limit for the whole request, in milliseconds. */
	readonly timeout: number;
	readonly maxRetries: number;
	/** Starts no further request once aborted. */
	readonly stop?: AbortSignal;
	readonly onRetry?: () => void;
}

/** Sends typed requests and hands back checked records. One client serves one run of a node. */
export class ServiceClient {
	private readonly redact: (text: string) => string;

	/** Index of the address in use; moves once, when the first address cannot be reached. */
	private current = 0;

	/** Whether an answer has come: then the address in use works. */
	private proven = false;

	constructor(
		private readonly access: ServiceAccess,
		private readonly dependencies: ClientDependencies,
	) {
		this.redact = createRedactor(access.secretKey);
	}

	async send<Method extends ServiceMethod>(
		method: Method,
		parameters: z.input<Method['request']>,
		options: SendOptions,
	): Promise<z.output<Method['answer']>> {
		const request: IDataObject = parseInput(method.request, parameters);
		const isRepeatable = canBeRepeated(method, request);
		if (!isRepeatable) await this.proveAddress(options);
		return await this.sendUntilAnswered(method, request, isRepeatable, options);
	}

	/**
	 * A request that must not be sent twice cannot be used to find out which address works, so a
	 * harmless one goes first where there is a choice.
	 */
	private async proveAddress(options: SendOptions): Promise<void> {
		if (this.proven || this.access.baseUrls[this.current + 1] === undefined) return;
		await this.sendUntilAnswered(getBalance, {}, true, options);
	}

	private async sendUntilAnswered<Method extends ServiceMethod>(
		method: Method,
		request: IDataObject,
		isRepeatable: boolean,
		options: SendOptions,
	): Promise<z.output<Method['answer']>> {
		const { clock, random, limit, takeTurn } = this.dependencies;
		const { maxRetries, stop, onRetry } = options;
		const attempt = async () => {
			await takeTurn(stop);
			const answer = await this.sendToReachable(method, request, isRepeatable, options);
			return readAnswer(method, answer, this.redact);
		};
		return await retry(
			async () => await withSlot(limit, attempt, (error) => this.pushbackOf(error), stop),
			{
				maxRetries,
				clock,
				random,
				adviceFor: (error) => this.adviceFor(error, isRepeatable),
				stop,
				onRetry,
			},
		);
	}

	private async sendToReachable(
		method: ServiceMethod,
		request: IDataObject,
		isRepeatable: boolean,
		options: SendOptions,
	): Promise<HttpAnswer> {
		const used = this.current;
		const first = await settle(async () => await this.sendTo(used, method, request, options));
		if (first.ok) return first.value;
		if (!isRepeatable || !isAddressFailure(first.error)) throw first.error;
		if (this.access.baseUrls[used + 1] === undefined) throw first.error;
		this.current = used + 1;
		return await this.sendTo(used + 1, method, request, options);
	}

	private async sendTo(
		address: number,
		method: ServiceMethod,
		request: IDataObject,
		{ timeout }: SendOptions,
	): Promise<HttpAnswer> {
		const baseUrl = this.access.baseUrls[address] ?? this.access.baseUrls[0];
		const { transport, withDeadline } = this.dependencies;
		const options: IHttpRequestOptions = {
			method: method.verb,
			url: methodUrl(baseUrl, method.name),
			...(method.verb === 'POST' ? { body: request } : { qs: request }),
			timeout,
			json: true,
			// n8n then writes a space as %20 and not as a plus sign, which not every server reads back.
			arrayFormat: 'repeat',
			returnFullResponse: true,
			// A 401 that n8n sees as an error is sent a second time.
			ignoreHttpStatusErrors: true,
			// A redirect would carry the key to another host.
			disableFollowRedirect: true,
		};
		// n8n's own limit is one of silence: a body that drips outlives it.
		const answer = await settle(
			async () => await withDeadline(timeout, async (giveUp) => await transport(options, giveUp)),
		);
		if (!answer.ok) {
			throw answer.error instanceof DeadlineError ? timedOut() : networkFailure(answer.error);
		}
		this.proven = true;
		return answer.value;
	}

	/** Without a key against repetition, only what cannot have arrived is sent again. */
	private adviceFor(error: unknown, isRepeatable: boolean): RetryAdvice {
		if (!(error instanceof ServiceError)) return { retry: false };
		if (error.failure === 'unreachable') return { retry: 'transient' };
		if (error.failure === 'refused' || !isRepeatable) return { retry: false };
		return {
			retry: error.failure === 'throttled' ? 'throttled' : 'transient',
			afterMs: this.retryAfterOf(error),
		};
	}

	private pushbackOf(error: unknown): Pushback {
		if (!(error instanceof ServiceError)) return { kind: 'ok' };
		if (error.failure === 'throttled') {
			return { kind: 'throttled', retryAfterMs: this.retryAfterOf(error) };
		}
		return { kind: error.failure === 'refused' ? 'ok' : 'overloaded' };
	}

	private retryAfterOf(error: ServiceError): number | undefined {
		return parseRetryAfter(error.retryAfter, this.dependencies.clock.now());
	}
}

function canBeRepeated(method: ServiceMethod, request: IDataObject): boolean {
	if (method.repeatable === 'withKey') return request.unique !== undefined;
	return method.repeatable === 'always';
}

function isAddressFailure(error: unknown): boolean {
	return (
		error instanceof ServiceError &&
		(error.failure === 'unreachable' || error.failure === 'unanswered')
	);
}
