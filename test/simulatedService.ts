import type { Limit, Outcome } from '../nodes/CallVerification/pacing/limit';
import { announcedLimit } from '../nodes/CallVerification/pacing/quota';
import { retry, type RetryAdvice } from '../nodes/CallVerification/pacing/retry';
import { type Clock, runInOrder } from '../nodes/CallVerification/pacing/time';
import { VirtualClock } from './virtualClock';

/**
 * A linear congruential generator with the constants of Numerical Recipes. The bounds of what is simulated were found
 * with these numbers.
 */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}

/** Says whether the service takes a request that arrives now. */
export interface Admission {
	admits(now: number, inFlight: number): boolean;
	/** Milliseconds, for services that say when to retry. */
	retryAfter?(now: number): number;
	/** For services that announce it with every answer. */
	quota?(now: number): Quota;
}

export interface Quota {
	readonly limit: number;
	readonly remaining: number;
	/** Milliseconds until there is more again. */
	readonly resetMs: number;
}

const unlimited = (): Admission => ({ admits: () => true });

/** At most `limit` per window; the count starts again at the beginning of each calendar window. */
export function fixedWindow(limit: number, windowMs: number, phaseMs = 0): Admission {
	let current = -1;
	let used = 0;
	const retryAfter = (now: number) => windowMs - ((now + phaseMs) % windowMs);
	return {
		admits(now) {
			const window = Math.floor((now + phaseMs) / windowMs);
			if (window !== current) used = 0;
			current = window;
			if (used >= limit) return false;
			used++;
			return true;
		},
		retryAfter,
		quota: (now) => ({ limit, remaining: limit - used, resetMs: retryAfter(now) }),
	};
}

/** At most `limit` in any `windowMs`. */
export function slidingWindow(limit: number, windowMs: number): Admission {
	let taken: number[] = [];
	const retryAfter = (now: number) => (taken[0] ?? now) + windowMs - now;
	return {
		admits(now) {
			taken = taken.filter((at) => at > now - windowMs);
			if (taken.length >= limit) return false;
			taken.push(now);
			return true;
		},
		retryAfter,
		quota: (now) => ({ limit, remaining: limit - taken.length, resetMs: retryAfter(now) }),
	};
}

/** Refills steadily, up to a burst. */
export function tokenBucket(perSecond: number, burst: number): Admission {
	let tokens = burst;
	let last: number | undefined;
	return {
		admits(now) {
			tokens = Math.min(burst, tokens + ((now - (last ?? now)) * perSecond) / 1000);
			last = now;
			if (tokens < 1) return false;
			tokens--;
			return true;
		},
		retryAfter: () => 1000 / perSecond,
		quota: () => ({
			limit: burst,
			remaining: Math.floor(tokens),
			resetMs: ((burst - tokens) * 1000) / perSecond,
		}),
	};
}

export const atMostInFlight = (limit: number): Admission => ({
	admits: (_now, inFlight) => inFlight <= limit,
	retryAfter: () => 1000,
});

export interface ServiceOptions {
	admission?: Admission;
	latencyMs?: (inFlight: number) => number;
	/** How long a refusal takes: nothing from a nearby gateway, a whole latency from a distant service. */
	refusalMs?: number;
	/** Tells refused clients when to retry, in whole seconds like the header. */
	sendsRetryAfter?: boolean;
	/** The headers of an answer, made of what the service counts. */
	announces?: (quota: Quota, now: number) => Headers;
	/** Whether an admitted request fails for a reason other than load. */
	fails?: () => boolean;
}

type Headers = Readonly<Record<string, unknown>>;

type ServiceAnswer = { headers: Headers } & (
	| { status: 200 | 503 }
	| { status: 429; retryAfterMs?: number }
);

/** A service in virtual time that counts its requests. */
class SimulatedService {
	asked = 0;
	refused = 0;
	failed = 0;
	mostInFlight = 0;
	private inFlight = 0;

	constructor(
		private readonly clock: Clock,
		private readonly options: ServiceOptions = {},
	) {}

	async ask(): Promise<ServiceAnswer> {
		const { admission = unlimited(), latencyMs = () => 80, refusalMs = 80, fails } = this.options;
		const now = this.clock.now();
		this.asked++;
		this.inFlight++;
		this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
		const isAdmitted = admission.admits(now, this.inFlight);
		const headers = this.headers(admission, now);
		if (!isAdmitted) {
			this.inFlight--;
			this.refused++;
			await this.clock.sleep(refusalMs);
			return { status: 429, headers, retryAfterMs: this.retryAfter(admission, now) };
		}
		await this.clock.sleep(latencyMs(this.inFlight));
		this.inFlight--;
		if (!fails?.()) return { status: 200, headers };
		this.failed++;
		return { status: 503, headers };
	}

	private headers(admission: Admission, now: number): Headers {
		const quota = admission.quota?.(now);
		return (quota && this.options.announces?.(quota, now)) ?? {};
	}

	private retryAfter(admission: Admission, now: number): number | undefined {
		if (!this.options.sendsRetryAfter) return undefined;
		return Math.ceil((admission.retryAfter?.(now) ?? 0) / 1000) * 1000;
	}
}

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

/** As many items as the node ever processes at once. */
export const WIDEST = 64;

/** Sends a list of items through retries and a limit to a simulated service. */
export async function runList(
	count: number,
	limitOf: (clock: VirtualClock) => Limit,
	options: ServiceOptions = {},
) {
	const clock = new VirtualClock(0);
	const service = new SimulatedService(clock, options);
	const random = seededRandom(1);
	const limit = limitOf(clock);
	const ask = async (isUrgent: boolean) => {
		const leave = await limit.enter(undefined, isUrgent);
		const answer = await service.ask();
		leave(outcomeOf(answer));
		if (answer.status !== 200) throw new Unanswered(answer);
	};
	const results = await clock.runUntil(
		runInOrder({
			count,
			width: WIDEST,
			clock,
			run: async () =>
				await retry(ask, {
					maxRetries: 8,
					isHopeless: (refusals, forMs) => refusals >= 10 && forMs >= 60_000,
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
