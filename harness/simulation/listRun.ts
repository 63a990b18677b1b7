import { announcedLimit } from '../../nodes/CallVerification/pacing/quota';
import type { Limit, Outcome } from '../../nodes/CallVerification/pacing/limit';
import { runInOrder } from '../../nodes/CallVerification/pacing/time';
import { retry, type RetryAdvice } from '../../nodes/CallVerification/pacing/retry';
import { seededRandom } from './seededRandom';
import { type ServiceAnswer, type ServiceOptions, SimulatedService } from './simulatedService';
import { VirtualClock } from './virtualClock';

class Unanswered extends Error {
	constructor(readonly answer: ServiceAnswer) {
		super(String(answer.status));
	}
}

function outcomeOf(answer: ServiceAnswer): Outcome {
	const announced = announcedLimit(answer.headers);
	if (answer.status === 200) return { kind: 'ok', announced };
	if (answer.status !== 429) return { kind: 'overloaded', announced };
	return { kind: 'rateLimited', retryAfterMs: answer.retryAfterMs, announced };
}

function isRefusal(error: unknown): boolean {
	return error instanceof Unanswered && error.answer.status === 429;
}

function adviceFor(error: unknown): RetryAdvice {
	return { retry: isRefusal(error) ? 'rateLimited' : 'transient' };
}

export interface ListOptions {
	/** How many items are processed at once. */
	width?: number;
	/** How long a refused request waits before its retry, for limits that do not decide that. */
	pauseMs?: (refusals: number, random: () => number) => number;
}

/** Sends a list of items through pool, retries and limit to a simulated service. */
export async function runList(
	count: number,
	limitOf: (clock: VirtualClock, random: () => number) => Limit,
	options: ServiceOptions = {},
	{ width = 64, pauseMs }: ListOptions = {},
) {
	const clock = new VirtualClock(0);
	const service = new SimulatedService(clock, options);
	const random = seededRandom(1);
	const limit = limitOf(clock, random);
	const ask = async (isUrgent: boolean) => {
		const leave = await limit.enter(undefined, isUrgent);
		const answer = await service.ask();
		leave(outcomeOf(answer));
		if (answer.status !== 200) throw new Unanswered(answer);
	};
	const attempts = () => {
		let refusals = 0;
		return async (isUrgent: boolean) => {
			try {
				await ask(isUrgent);
			} catch (error) {
				if (isRefusal(error) && pauseMs) await clock.sleep(pauseMs(++refusals, random));
				throw error;
			}
		};
	};
	const results = await clock.runUntil(
		runInOrder({
			count,
			width,
			clock,
			run: async () =>
				await retry(attempts(), {
					maxRetries: 8,
					isHopeless: (refusals, forMs) =>
						pauseMs === undefined && refusals >= 10 && forMs >= 60_000,
					adviceFor,
					clock,
					random,
				}),
		}),
	);
	return {
		seconds: clock.now() / 1000,
		lost: results.filter((result) => result?.status !== 'fulfilled').length,
		wasted: service.refused / service.asked,
		failed: service.failed,
		mostInFlight: service.mostInFlight,
	};
}
