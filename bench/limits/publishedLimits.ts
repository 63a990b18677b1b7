import { type Limit, type Outcome, RequestQueue } from '../../nodes/CallVerification/pacing/limit';
import type { Clock } from '../../nodes/CallVerification/pacing/time';

/** A limit on requests in flight that never changes. */
export class FixedLimit extends RequestQueue<number> {
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

export const AIMD_MOST = 200;
const AIMD_INITIAL = 20;
const AIMD_BACKOFF = 0.9;
const AIMD_TIMEOUT_MS = 5000;
/** The builder's default is 20, which would never find a lower limit. */
const AIMD_LEAST = 1;

/** `AIMDLimit` of Netflix's concurrency-limits, otherwise with the defaults of its builder. */
export class NetflixAimd extends FixedLimit {
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
export class AwsAdaptiveRate implements Limit {
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
