import { runList } from '../../harness/simulation/simulatedService';
import {
	adaptiveLimit,
	type Limit,
	type Outcome,
	RequestQueue,
} from '../../nodes/CallVerification/pacing/limit';
import type { Clock } from '../../nodes/CallVerification/pacing/time';
import { type Limits, OUR_WAY } from '../speed/results';
import { ANNOUNCING_SERVICES, type LimitedService, SILENT_SERVICES } from './limitedServices';

/** A limit on requests in flight that never changes. */
class FixedLimit extends RequestQueue<number> {
	constructor(
		clock: Clock,
		protected limit: number,
	) {
		super(clock);
	}

	protected wait(inFlight: number): number {
		return inFlight < this.limit ? 0 : Infinity;
	}

	protected started(): number {
		return this.clock.now();
	}

	protected answered(_startedAt: number, _outcome: Outcome, _inFlight: number): void {}
}

const AIMD_MOST = 200;
const AIMD_INITIAL = 20;
const AIMD_BACKOFF = 0.9;
const AIMD_TIMEOUT_MS = 5000;
/** The builder's default is 20, which would never find a lower limit. */
const AIMD_LEAST = 1;

/** `AIMDLimit` of Netflix's concurrency-limits, otherwise with the defaults of its builder. */
class NetflixAimd extends FixedLimit {
	constructor(clock: Clock) {
		super(clock, AIMD_INITIAL);
	}

	protected override answered(startedAt: number, { kind }: Outcome, inFlight: number): void {
		const isTooSlow = this.clock.now() - startedAt > AIMD_TIMEOUT_MS;
		const grown = inFlight * 2 >= this.limit ? this.limit + 1 : this.limit;
		const next = kind !== 'ok' || isTooSlow ? Math.floor(this.limit * AIMD_BACKOFF) : grown;
		this.limit = Math.min(AIMD_MOST, Math.max(AIMD_LEAST, next));
	}
}

/** As in `DefaultRateLimiter` of @smithy/core, 3.40. Rates are per second. */
const BETA = 0.7;
const SCALE = 0.4;
const SMOOTH = 0.8;
const LEAST_CAPACITY = 1;
const LEAST_RATE = 0.5;
const RATE_BUCKETS_PER_SECOND = 2;

/**
 * The client-side rate limiter of AWS's "adaptive" retry mode: holds nothing back until the first refusal, then uses a
 * token bucket whose rate falls to 0.7 of what was sent and grows along CUBIC's curve.
 */
class AwsAdaptiveRate implements Limit {
	private isEnabled = false;
	private tokens = 0;
	private capacity = LEAST_CAPACITY;
	private rate = LEAST_RATE;
	private refilledAt: number | undefined;
	private lastMaxRate = 0;
	private lastThrottle: number;
	private sent = 0;
	private sentRate = 0;
	private rateBucket: number;

	constructor(private readonly clock: Clock) {
		this.lastThrottle = this.seconds;
		this.rateBucket = Math.floor(this.seconds);
	}

	async enter() {
		if (this.isEnabled) await this.takeToken();
		return (outcome: Outcome) => this.answered(outcome.kind === 'rateLimited');
	}

	private get seconds(): number {
		return this.clock.now() / 1000;
	}

	private async takeToken(): Promise<void> {
		this.refill();
		while (this.tokens < 1) {
			// Timers count in whole milliseconds.
			await this.clock.sleep(Math.ceil(((1 - this.tokens) / this.rate) * 1000));
			this.refill();
		}
		this.tokens--;
	}

	private answered(isThrottled: boolean): void {
		this.measure();
		if (isThrottled) {
			this.lastMaxRate = this.isEnabled ? Math.min(this.sentRate, this.rate) : this.sentRate;
			this.lastThrottle = this.seconds;
			this.isEnabled = true;
		}
		const allowed = isThrottled ? this.lastMaxRate * BETA : this.cubic();
		this.setRate(Math.min(allowed, 2 * this.sentRate));
	}

	private cubic(): number {
		const window = Math.cbrt((this.lastMaxRate * (1 - BETA)) / SCALE);
		return SCALE * (this.seconds - this.lastThrottle - window) ** 3 + this.lastMaxRate;
	}

	private measure(): void {
		const bucket = Math.floor(this.seconds * RATE_BUCKETS_PER_SECOND) / RATE_BUCKETS_PER_SECOND;
		this.sent++;
		if (bucket <= this.rateBucket) return;
		const rate = this.sent / (bucket - this.rateBucket);
		this.sentRate = rate * SMOOTH + this.sentRate * (1 - SMOOTH);
		this.sent = 0;
		this.rateBucket = bucket;
	}

	private setRate(rate: number): void {
		this.refill();
		this.rate = Math.max(rate, LEAST_RATE);
		this.capacity = Math.max(rate, LEAST_CAPACITY);
		this.tokens = Math.min(this.tokens, this.capacity);
	}

	private refill(): void {
		const now = this.seconds;
		const since = now - (this.refilledAt ?? now);
		this.tokens = Math.min(this.capacity, this.tokens + since * this.rate);
		this.refilledAt = now;
	}
}

/** A way to find out how many requests a service takes. */
interface Algorithm {
	readonly name: string;
	/** The most it would ever have in flight. */
	readonly most: number;
	readonly limit: (clock: Clock) => Limit;
	/** How long a refused request waits before it asks for its next turn. Ours leaves that to the limit. */
	readonly pauseMs?: (refusals: number, random: () => number) => number;
}

/** AWS's SDK for JavaScript: this many sockets, and "full jitter" from 500 ms after a throttling error, up to 20 s. */
const AWS_SOCKETS = 50;
const jitter = (refusals: number, random: () => number): number =>
	random() * Math.min(20_000, 500 * 2 ** (refusals - 1));

export const OURS: Algorithm = {
	name: OUR_WAY,
	most: 64,
	limit: (clock) => adaptiveLimit(clock),
};

/**
 * Netflix's limit only decides how many may be in flight, and so does a fixed number. Neither decides when to retry after
 * a refusal, so all get AWS's pauses. All retry until the service takes the request.
 */
const ALGORITHMS: readonly Algorithm[] = [
	OURS,
	{
		name: 'AWS adaptive',
		most: AWS_SOCKETS,
		limit: (clock) => new AwsAdaptiveRate(clock),
		pauseMs: jitter,
	},
	{
		name: 'Netflix AIMD',
		most: AIMD_MOST,
		limit: (clock) => new NetflixAimd(clock),
		pauseMs: jitter,
	},
	{
		name: '64 at once, jitter',
		most: 64,
		limit: (clock) => new FixedLimit(clock, 64),
		pauseMs: jitter,
	},
];

export const LIMITED_SERVICES: readonly LimitedService[] = [
	...SILENT_SERVICES,
	...ANNOUNCING_SERVICES,
];

type LimitRun = Limits[number]['runs'][number];

/** Each gives different latencies and stray refusals, and another phase of the calendar. */
const SEEDS = [1, 2, 3, 4, 5];

/** Every algorithm on every service, in virtual time: the same figures on every machine. */
export async function measureLimits(): Promise<Limits> {
	const found: Limits = [];
	for (const service of LIMITED_SERVICES) {
		const runs: LimitRun[] = [];
		for (const algorithm of ALGORITHMS) runs.push(await simulate(algorithm, service));
		const { name, count, floorSeconds, mostOverFloor, mostRefused } = service;
		found.push({
			service: name,
			numbers: count,
			floorSeconds,
			mostOverFloor,
			mostRefused,
			runs,
		});
	}
	return found;
}

/** The mean of time and refusals, and the worst of lost and in flight. */
export async function simulate(
	{ name, most, limit, pauseMs }: Algorithm,
	{ count, behaviour }: LimitedService,
): Promise<LimitRun> {
	const runs = [];
	for (const seed of SEEDS) {
		runs.push(await runList(count, limit, behaviour(seed), { width: most, pauseMs }));
	}
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value) / values.length;
	return {
		name,
		seconds: mean(runs.map(({ seconds }) => seconds)),
		lost: Math.max(...runs.map(({ lost }) => lost)),
		refused: mean(runs.map(({ wasted }) => wasted)),
		peakInFlight: Math.max(...runs.map(({ mostInFlight }) => mostInFlight)),
	};
}
