import * as quota from './quota';
import { type Clock, onAnyStop, StoppedError, throwIfStopped } from './time';

/** What a response, or the lack of one, says about the requests to come. */
export type Outcome = { announced?: quota.AnnouncedLimit } & (
	| { kind: 'ok' }
	/** Refused for a reason that holds for every other request as well; certainly, or as it seems after one refusal. */
	| { kind: 'refusesAll'; error: unknown; isCertain: boolean }
	/** Too many requests, or a failure that load can cause (5xx, timeout). */
	| { kind: 'rateLimited' | 'overloaded'; error?: unknown; retryAfterMs?: number }
);

/** Decides when a request may start, including retries. */
export type Limit = Pick<RequestQueue<unknown>, 'enter'>;

/** Each request in flight must leave once. */
export type Leave = (outcome: Outcome) => void;

/** Each start takes n8n a few milliseconds of CPU; this many in a row are not noticeable. */
const STARTS_AT_A_TIME = 8;

/** The user's own rate, shared by all runs of an account. */
export interface RateLimit {
	/** When the next request may start, some time after the one before, whoever has that. Reserves this time. */
	next(now: number): number;
	started(): void;
	/** Nothing starts at the reserved time. */
	release(): void;
}

/** Starts requests as fast as the policy and the user's own rate allow. `Ticket` is what the policy notes about each. */
export abstract class RequestQueue<Ticket> {
	private readonly urgent = new Set<() => void>();
	private readonly waiting = new Set<() => void>();
	protected inFlight = 0;
	private wakesAt = Infinity;

	constructor(
		readonly clock: Clock,
		private readonly rateLimit?: RateLimit,
	) {}

	/** Milliseconds until the next request may start; 0 is now, Infinity is "not before another response". */
	protected abstract wait(inFlight: number): number;
	/** `inFlight` counts the request that has just started, or ended. */
	protected abstract started(inFlight: number): Ticket;
	protected abstract answered(ticket: Ticket, outcome: Outcome, inFlight: number): void;

	/** Urgent requests go first. After a refusal all wait here. Throws a StoppedError if the run is stopped first. */
	async enter(stop?: AbortSignal, isUrgent = false): Promise<Leave> {
		throwIfStopped(stop);
		const queue = isUrgent ? this.urgent : this.waiting;
		return await new Promise<Leave>((resolve, reject) => {
			const start = () => {
				forget();
				queue.delete(start);
				resolve(this.startOne());
			};
			const forget = onAnyStop([stop], () => {
				queue.delete(start);
				reject(new StoppedError());
			});
			queue.add(start);
			this.startNext();
		});
	}

	private startOne(): Leave {
		const ticket = this.started(++this.inFlight);
		this.rateLimit?.started();
		return (outcome) => {
			this.answered(ticket, outcome, this.inFlight);
			this.inFlight--;
			// A refused request may come back as an urgent one in a moment.
			if (outcome.kind === 'rateLimited') this.wakeIn(0);
			else this.startNext();
		};
	}

	/** Starts all that may start now. For the rest, it comes back when the next one may. */
	private startNext(now = this.clock.now()): void {
		let started = 0;
		while (true) {
			const [start] = this.urgent.size > 0 ? this.urgent : this.waiting;
			if (start === undefined) {
				this.rateLimit?.release();
				return;
			}
			if (started === STARTS_AT_A_TIME) {
				this.wakeIn(0);
				return;
			}
			const waitMs = this.wait(this.inFlight);
			if (waitMs > 0) {
				this.rateLimit?.release();
				this.wakeIn(waitMs);
				return;
			}
			// Last, because waiting for something else after it could cause a burst.
			const mayStartAt = this.rateLimit?.next(now) ?? now;
			if (mayStartAt > now) {
				this.wakeAt(mayStartAt);
				return;
			}
			start();
			started++;
		}
	}

	private wakeIn(milliseconds: number): void {
		this.sleep(milliseconds, this.clock.now() + milliseconds);
	}

	private wakeAt(time: number): void {
		this.sleep(time - this.clock.now(), time);
	}

	private sleep(milliseconds: number, until: number): void {
		// A sleep cannot be cancelled, so no later one is started: the earlier one asks the policy again.
		if (until >= this.wakesAt) return;
		this.wakesAt = until;
		void this.clock.sleep(milliseconds).then(() => {
			if (this.wakesAt === until) this.wakesAt = Infinity;
			// A timer may fire up to a millisecond early, which counts as on time.
			this.startNext(Math.max(until, this.clock.now()));
		});
	}
}

/** When to doubt what was learned. Doubles each time it proves right. */
const DOUBT_AFTER_MS = 5000;
/** This many windows show whether a service takes more per window, and whether it counts over a longer one. */
const WINDOWS_TO_PROVE = 3;
/** Refusing this share does no harm: it happens by chance, or as the price of asking for more. */
const SMALL_SHARE = 0.1;
/** Chance alone refuses less than this share. */
const LARGE_SHARE = 1 / 2;
/** After lowering the limit this often in a row, no limit explains the remaining refusals. */
const LOWERINGS_IN_VAIN = 4;

export const adaptiveLimit = (clock: Clock, rateLimit?: RateLimit) =>
	new AdaptiveLimit(clock, rateLimit, new quota.ConcurrencyLimit());

/** The user's own limit of requests in flight. What the service allows per time is still learned. */
export const fixedWidth = (clock: Clock, width: number, rateLimit?: RateLimit) =>
	new AdaptiveLimit(clock, rateLimit, { width, answered() {}, narrow() {} });

/**
 * Learns how many requests the service takes, at once and in which time. A refusal does not say which limit was hit, so
 * everything stops. If most later requests are taken, it was chance. If not, a single request probes the service. If it
 * is taken soon, and that many in flight had never gone well before, they were too many. Otherwise they were too many in
 * that time: what was taken in it is the limit, doubted later.
 */
export class AdaptiveLimit extends RequestQueue<quota.Ticket> {
	private readonly starts = new quota.Starts();
	private readonly remaining = new quota.Remaining();
	private index = 0;
	/** The most in flight that has ever gone well. */
	private proven = 0;
	private recentlyRefused = 0;
	private allowed: quota.Allowed = quota.ALL;
	private beforeDoubt: quota.Allowed | undefined;
	private doubtAt = Infinity;
	private doubtShare = SMALL_SHARE;
	private doubtAfterMs = DOUBT_AFTER_MS;
	private pause: quota.Pause | undefined;
	private lastRefusal = -Infinity;
	private resumedAt = -Infinity;
	/** When the last long pause ended and the service started a new count. */
	private stretchStart: number | undefined;
	private lowerings = 0;
	private lastLowering = -Infinity;
	private isChanceCommon = false;

	constructor(
		clock: Clock,
		rateLimit: RateLimit | undefined,
		private readonly concurrency: Pick<quota.ConcurrencyLimit, 'width' | 'answered' | 'narrow'>,
	) {
		super(clock, rateLimit);
	}

	get isCalm(): boolean {
		return this.inFlight === 0 && this.pause === undefined;
	}

	/** Called between runs, because what is kept for days must not grow. No service allows this many per window. */
	rest(): void {
		this.starts.keepLast(quota.TYPICAL_LIMIT ** 2);
		this.remaining.forget();
	}

	protected wait(inFlight: number): number {
		const now = this.clock.now();
		if (this.pause) {
			const untilProbe = this.pause.wait(now, inFlight);
			if (untilProbe > 0) return untilProbe;
			const untilStart = this.starts.wait(this.allowed, 0, now);
			if (untilStart > 0) return untilStart;
			if (!this.isChance(this.pause)) return 0;
			this.pause = undefined;
			this.resumedAt = now;
		}
		if (inFlight >= this.concurrency.width) return Infinity;
		if (!this.remaining.allows(this.index, inFlight)) return Infinity;
		const untilStart = this.starts.wait(this.allowed, inFlight, now);
		// A limit that holds nothing back is left alone.
		if (untilStart > 0 && now >= this.doubtAt) this.doubt(inFlight, now);
		return untilStart;
	}

	protected started(inFlight: number): quota.Ticket {
		const startedAt = this.clock.now();
		const { proven, concurrency } = this;
		const index = this.index++;
		const excess = this.remaining.excess(index);
		const ticket = { startedAt, index, inFlight, proven, width: concurrency.width, excess };
		this.starts.add(startedAt);
		if (this.pause) this.pause.probe = ticket;
		return ticket;
	}

	protected answered(ticket: quota.Ticket, outcome: Outcome): void {
		const now = this.clock.now();
		const isRefused = outcome.kind === 'rateLimited';
		const isTest = this.remaining.answered(ticket, isRefused, outcome.announced);
		// A moving average of the share that is refused.
		this.recentlyRefused += (Number(isRefused) - this.recentlyRefused) / quota.TYPICAL_LIMIT;
		if (isRefused) {
			this.starts.remove(ticket.startedAt);
			// A late refusal from before the last pause ended does not start another.
			if (this.pause === undefined && ticket.startedAt >= this.resumedAt) {
				this.pause = new quota.Pause(now);
				if (isTest) this.believe(ticket, outcome.announced);
			}
			this.pause?.wasRefused(ticket, now, outcome.retryAfterMs);
			return;
		}
		const isOverloaded = outcome.kind === 'overloaded';
		if (!isOverloaded) this.proven = Math.max(this.proven, ticket.inFlight);
		this.concurrency.answered(ticket, now, isOverloaded);
		if (this.pause?.wasTaken(ticket)) this.learn(this.pause, ticket.startedAt, now);
	}

	/**
	 * The service took what it had announced, and refused the next. It is a limit per second if we count as many, or up
	 * to twice as many if our second covers parts of two of theirs. There is nothing else to learn from the refusal.
	 */
	private believe({ startedAt }: quota.Ticket, announced: Outcome['announced']): void {
		if (announced?.remaining !== 0) return;
		const taken = this.starts.countBetween(startedAt - quota.SECOND_MS, startedAt);
		if (taken < announced.limit || taken > 2 * announced.limit) return;
		this.allowed = { ...quota.ALL, most: announced.limit };
		this.beforeDoubt = this.allowed;
	}

	/** Before a probe has asked. */
	private isChance({ looksLikeChance }: quota.Pause): boolean {
		if (!looksLikeChance) return false;
		if (this.isChanceCommon) return this.recentlyRefused < LARGE_SHARE;
		return this.recentlyRefused < SMALL_SHARE && this.beforeDoubt === undefined;
	}

	/** After a probe has been taken. Where chance refusals are common, they also hit a few probes in a row. */
	private mayHaveBeenChance({ probesRefused }: quota.Pause): boolean {
		if (!this.isChanceCommon || this.recentlyRefused > LARGE_SHARE) return false;
		return this.recentlyRefused ** probesRefused > SMALL_SHARE ** 3;
	}

	/** Ends the pause, because its probe has been taken. */
	private learn(pause: quota.Pause, probeStartedAt: number, now: number): void {
		if (!this.mayHaveBeenChance(pause)) {
			if (this.beforeDoubt) {
				this.doubtAfterMs = Math.min(quota.LONGEST_WAIT_MS, this.doubtAfterMs * 2);
			}
			this.learnAllowed(pause, probeStartedAt);
			this.beforeDoubt = undefined;
			this.doubtAt = now + Math.max(this.doubtAfterMs, WINDOWS_TO_PROVE * this.allowed.windowMs);
		}
		this.lastRefusal = pause.since;
		this.pause = undefined;
		this.resumedAt = now;
	}

	private learnAllowed(pause: quota.Pause, probeStartedAt: number): void {
		const pausedMs = probeStartedAt - pause.since;
		if (pausedMs > WINDOWS_TO_PROVE * quota.SECOND_MS) {
			this.learnLongWindow(pause.since, probeStartedAt);
			return;
		}
		if (this.beforeDoubt) {
			this.allowed = this.beforeDoubt;
			return;
		}
		const isMostlyRefused = this.recentlyRefused > LARGE_SHARE;
		if (!isMostlyRefused && this.countLowering() > LOWERINGS_IN_VAIN) {
			this.isChanceCommon = true;
			this.allowed = quota.ALL;
			return;
		}
		// What was learned anew may be too low, however often the limit before it has proved right.
		this.doubtAfterMs = DOUBT_AFTER_MS;
		if (pause.isAboutRate) this.learnRate(pause);
		else this.learnConcurrency(pause);
	}

	/** Returns how often the limit was lowered in a row, each time soon after the last. */
	private countLowering(): number {
		const isSoon = this.index < this.lastLowering + quota.TYPICAL_LIMIT;
		this.lowerings = isSoon ? this.lowerings + 1 : 1;
		this.lastLowering = this.index;
		return this.lowerings;
	}

	private learnLongWindow(since: number, probeStartedAt: number): void {
		this.concurrency.narrow();
		// Others may have used part of the first window, so it only teaches us to reach the next end gently.
		this.allowed = { ...this.allowed, atOnce: quota.FIRST_WIDTH };
		if (this.stretchStart !== undefined) {
			const most = Math.max(1, this.starts.countBetween(this.stretchStart - 1, since));
			this.allowed = { ...quota.ALL, most, windowMs: probeStartedAt - this.stretchStart };
		}
		this.stretchStart = probeStartedAt;
	}

	private learnRate({ refused, looksLikeChance }: quota.Pause): void {
		const { most, windowMs } = this.allowed;
		const isFirstLimit = most === Infinity;
		this.concurrency.narrow();
		const slowestRate = Math.min(...refused.map(({ startedAt }) => this.rateBefore(startedAt)));
		// What may be chance must not cause a crawl.
		const notBelow = looksLikeChance && !isFirstLimit ? most / 2 : 1;
		const atMost = most / quota.STEP;
		const lower = Math.min(atMost, Math.max(notBelow, slowestRate));
		this.allowed = {
			...quota.ALL,
			most: Math.max(1, Math.floor(lower)),
			windowMs: most === 1 ? 2 * windowMs : quota.SECOND_MS,
			// If refused again, the requests may have come too close together.
			spreadMs: isFirstLimit ? quota.ALL.spreadMs : quota.SECOND_MS,
		};
	}

	/** A limit per second is at most what was taken in the second before a refusal, or since the refusal before it. */
	private rateBefore(refusal: number): number {
		const span = Math.min(quota.SECOND_MS, refusal - this.lastRefusal);
		const taken = this.starts.countBetween(refusal - span, refusal);
		return taken > 0 ? (taken * quota.SECOND_MS) / span : Infinity;
	}

	private learnConcurrency({ refused }: quota.Pause): void {
		const fewer = Math.min(...refused.map(({ inFlight }) => inFlight)) - 1;
		this.proven = Math.min(this.proven, fewer);
		this.allowed = { ...this.allowed, atOnce: Math.max(1, fewer) };
	}

	/** Asks for more than the learned limit. Whenever that was taken, the next increase is twice as large. */
	private doubt(inFlight: number, now: number): void {
		const { most, windowMs, atOnce } = this.allowed;
		const wasTaken = this.beforeDoubt !== undefined;
		this.doubtShare = wasTaken ? Math.min(1, this.doubtShare * 2) : SMALL_SHARE;
		const raised = (limit: number) => Math.ceil(limit * (1 + this.doubtShare));
		const isHeldByRate = inFlight < atOnce;
		this.beforeDoubt = this.allowed;
		this.allowed = isHeldByRate
			? { ...this.allowed, most: raised(most) }
			: { ...this.allowed, atOnce: raised(atOnce) };
		this.doubtAt = now + WINDOWS_TO_PROVE * windowMs;
	}
}
