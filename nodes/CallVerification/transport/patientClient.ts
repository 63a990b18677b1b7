import type { z } from 'zod';

import { announcedLimit } from '../pacing/quota';
import type { Attempts } from '../pacing/attempts';
import type { Clock } from '../pacing/clock';
import type { Limit, Pushback } from '../pacing/limit';
import { withAnyStop } from '../pacing/onStop';
import type { Outcome, Patience } from '../pacing/patience';
import type { TakeTurn } from '../pacing/rateLimit';
import type { RetryAdvice } from '../pacing/retry';
import { retry } from '../pacing/retry';
import { parseRetryAfter } from '../pacing/retryAfter';
import { settle, unsettle } from '../pacing/settled';
import { type Hear, withSlot } from '../pacing/withSlot';
import type { ServiceClient, ServiceRequest } from './client';
import { serviceRequest } from './client';
import type { ServiceMethod } from '../contract/methods';
import { concernsEverything, isFinal, ServiceError } from './errors';
import { givenUpError } from './givenUpError';

/** What all requests of a run share. */
export interface Pace {
	/** Applies to every request, including retries. */
	readonly limit: Limit;
	readonly takeTurn: TakeTurn;
	readonly patience: Patience;
	readonly clock: Clock;
	/** From 0 up to, but not including, 1. */
	readonly random: () => number;
}

export interface SendOptions {
	/** Limit for one request, in milliseconds. */
	readonly timeout: number;
	readonly maxRetries: number;
	/** When a response is too late to be useful, by the run's clock. */
	readonly deadline?: number;
	/** Once aborted, no further request starts. */
	readonly stop?: AbortSignal;
	readonly onRetry?: () => void;
	readonly attempts?: Attempts;
}

/** Sends until there is a response, at the pace of the run, until the run gives up. */
export class PatientClient {
	constructor(
		private readonly client: ServiceClient,
		private readonly pace: Pace,
	) {}

	async send<Method extends ServiceMethod>(
		method: Method,
		parameters: z.input<Method['request']>,
		options: SendOptions,
	): Promise<z.output<Method['response']>> {
		const request = serviceRequest(method, parameters);
		const { patience, clock } = this.pace;
		const { stop, deadline } = options;
		let mayHaveActed = false;
		const attempts: Attempts = {
			...options.attempts,
			lost() {
				mayHaveActed = true;
				options.attempts?.lost();
			},
		};
		const tooLate =
			deadline === undefined ? undefined : clock.timer(Math.max(0, deadline - clock.now()));
		const result = await settle(
			async () =>
				await withAnyStop(
					[stop, patience.over, tooLate],
					async (halt) =>
						await this.sendUntilAnswered(request, { ...options, attempts, stop: halt }),
				),
		);
		if (!result.ok && patience.givenUp !== undefined && !isAnswer(result.error)) {
			const isDoubtful = method.repeatable !== 'always' && mayHaveActed;
			throw givenUpError(patience.givenUp, result.error, isDoubtful);
		}
		return unsettle(result);
	}

	private async sendUntilAnswered<Method extends ServiceMethod>(
		request: ServiceRequest<Method>,
		options: SendOptions,
	): Promise<z.output<Method['response']>> {
		const { clock, random, limit, patience } = this.pace;
		const { maxRetries, stop, attempts, onRetry } = options;
		let tries = 0;
		return await retry(
			async (isUrgent) =>
				await withSlot(limit, async (hear) => await this.attempt(request, options, hear, ++tries), {
					pushbackOf: (error) => this.pushbackOf(error),
					stop,
					isUrgent,
				}),
			{
				maxRetries,
				isHopeless: (refusals, forMs) => patience.isSpentOn(refusals, forMs),
				clock,
				random,
				adviceFor: (error) => this.adviceFor(error, request.isRepeatable),
				stop,
				onRetry: async () => {
					await attempts?.again?.();
					onRetry?.();
				},
			},
		);
	}

	private async attempt<Method extends ServiceMethod>(
		request: ServiceRequest<Method>,
		{ timeout, deadline = Infinity, stop, attempts }: SendOptions,
		hear: Hear,
		attempt: number,
	): Promise<z.output<Method['response']>> {
		const { clock, takeTurn, patience } = this.pace;
		await takeTurn(stop);
		const left = deadline - clock.now();
		patience.asked();
		const result = await settle(
			async () =>
				await this.client.ask(request, {
					timeout: Math.max(1, Math.min(timeout, left)),
					attempt,
					attempts,
					onAnswer: ({ headers }) => hear(announcedLimit(headers)),
				}),
		);
		// Before another request starts, because this response may end the run.
		patience.observe(result.ok ? { kind: 'answer' } : this.outcomeOf(result.error));
		return unsettle(result);
	}

	private outcomeOf(error: unknown): Outcome {
		if (!(error instanceof ServiceError) || isFinal(error)) {
			return concernsEverything(error) ? { kind: 'denial', error } : { kind: 'answer' };
		}
		return { kind: 'silence', error, retryAfterMs: this.retryAfterOf(error) };
	}

	/** Without an idempotency key, a request is only sent again if it cannot have taken effect. */
	private adviceFor(error: unknown, isRepeatable: boolean): RetryAdvice {
		if (!(error instanceof ServiceError)) return { retry: false };
		const afterMs = this.retryAfterOf(error);
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
				return isRepeatable ? { retry: 'transient', afterMs } : { retry: false };
		}
	}

	private pushbackOf(error: unknown): Pushback {
		if (!(error instanceof ServiceError)) return { kind: 'ok' };
		if (error.failure === 'rateLimited') {
			return { kind: 'rateLimited', retryAfterMs: this.retryAfterOf(error) };
		}
		return { kind: isFinal(error) ? 'ok' : 'overloaded' };
	}

	private retryAfterOf(error: ServiceError): number | undefined {
		return parseRetryAfter(error.retryAfter, this.pace.clock.wallTime());
	}
}

/** A refusal of one request is a response: it says nothing about the others. */
function isAnswer(error: unknown): boolean {
	return error instanceof ServiceError && isFinal(error) && !concernsEverything(error);
}
