import type { Clock } from '../../nodes/CallVerification/pacing/time';
import { type Limit, type Outcome, RequestQueue } from '../../nodes/CallVerification/pacing/limit';

/** Two limits from Netflix's concurrency-limits, with the defaults of their builders. */

interface Answer {
	readonly rttMs: number;
	readonly inFlight: number;
	readonly isDropped: boolean;
}

/** Returns the next limit. */
type Update = (limit: number, answer: Answer) => number;

export function netflixLimit(clock: Clock, initial: number, update: Update): Limit {
	return new ConcurrencyLimit(clock, initial, update);
}

class ConcurrencyLimit extends RequestQueue<number> {
	constructor(
		clock: Clock,
		private limit: number,
		private readonly update: Update,
	) {
		super(clock);
	}

	protected wait(inFlight: number): number {
		return inFlight < Math.floor(this.limit) ? 0 : Infinity;
	}

	protected started(): number {
		return this.clock.now();
	}

	protected answered(startedAt: number, { kind }: Outcome, inFlight: number): void {
		const rttMs = Math.max(1, this.clock.now() - startedAt);
		this.limit = this.update(this.limit, { rttMs, inFlight, isDropped: kind !== 'ok' });
	}
}

export const AIMD_INITIAL = 20;
export const AIMD_MOST = 200;
const AIMD_BACKOFF = 0.9;
const AIMD_TIMEOUT_MS = 5000;
/** The builder's default is 20, which would never find a lower limit. */
const AIMD_LEAST = 1;

export const aimd: Update = (limit, { rttMs, inFlight, isDropped }) => {
	const grown = inFlight * 2 >= limit ? limit + 1 : limit;
	const next = isDropped || rttMs > AIMD_TIMEOUT_MS ? Math.floor(limit * AIMD_BACKOFF) : grown;
	return Math.min(AIMD_MOST, Math.max(AIMD_LEAST, next));
};

export const VEGAS_INITIAL = 20;
export const VEGAS_MOST = 1000;
const VEGAS_PROBE_MULTIPLIER = 30;
const VEGAS_ALPHA = 3;
const VEGAS_BETA = 6;

/** Detects a queue at the service by how much longer a response takes than the quickest one. */
export function vegas(random: () => number): Update {
	let quickestMs: number | undefined;
	let answers = 0;
	let jitter = 0.5 + random() / 2;
	return (limit, { rttMs, inFlight, isDropped }) => {
		answers++;
		const isProbe = jitter * VEGAS_PROBE_MULTIPLIER * limit <= answers;
		if (isProbe) {
			jitter = 0.5 + random() / 2;
			answers = 0;
		}
		if (isProbe || quickestMs === undefined || rttMs < quickestMs) {
			quickestMs = rttMs;
			return limit;
		}
		const step = Math.max(1, Math.floor(Math.log10(Math.floor(limit))));
		const queue = Math.ceil(limit * (1 - quickestMs / rttMs));
		const change = (): number => {
			if (isDropped) return -step;
			if (inFlight * 2 < limit) return 0;
			if (queue <= step) return VEGAS_BETA * step;
			if (queue < VEGAS_ALPHA * step) return step;
			return queue > VEGAS_BETA * step ? -step : 0;
		};
		return Math.min(VEGAS_MOST, Math.max(1, limit + change()));
	};
}
