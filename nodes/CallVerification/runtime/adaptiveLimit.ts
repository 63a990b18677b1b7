import type { Clock } from './clock';
import { BOLD, CAUTIOUS, Doubt } from './doubt';
import { Gate, type GatePolicy } from './gate';
import { InFlightWidth, type Width, WIDEST } from './inFlightWidth';
import type { Limit, Pushback } from './limit';
import { Quota } from './quota';
import { Standstill, type Ticket } from './standstill';
import { StrayRefusals } from './strayRefusals';

const SECOND_MS = 1000;
/** A standstill of this length cannot come from a limit per second. */
const LONG_STANDSTILL_MS = 2 * SECOND_MS;
/** Nor can one of this length come from probes that were refused by chance. */
const LONG_STANDSTILL_AMONG_STRAYS_MS = 8 * SECOND_MS;
const LEAST_WIDTH_AFTER_REFUSAL = 4;
const WIDTH_AFTER_REFUSAL = 1 / 4;
const WIDTH_AFTER_RATE = 1 / 3;
/** A service that counts per minute is in no hurry: when its second minute is used up, only so many are refused. */
const WIDTH_UNTIL_WINDOW_IS_KNOWN = 16;

export interface LearningLimit extends Limit {
	/** Nothing is in flight, and the service does not refuse. */
	readonly isCalm: boolean;
}

/** Finds out by itself what the service can take: how many at once, and how many in which time. */
export function adaptiveLimit(clock: Clock): LearningLimit {
	return learningLimit(clock, new InFlightWidth());
}

/** Finds out how many in which time; the width knows how many at once. */
export function learningLimit(clock: Clock, width: Width): LearningLimit {
	return new LearningGate(clock, new LearningPolicy(clock, width));
}

class LearningGate extends Gate<Ticket> implements LearningLimit {
	constructor(
		clock: Clock,
		private readonly learning: LearningPolicy,
	) {
		super(clock, learning);
	}

	get isCalm(): boolean {
		return this.isEmpty && !this.learning.isStandingStill;
	}
}

interface Knowledge {
	readonly quota: number;
	readonly windowMs: number;
	readonly ceiling: number;
}

/**
 * A refusal does not say which limit was met. So everything stops and a single request is tried: if that is taken at
 * once, there were too many in flight; if not, or if so many in flight had been fine before, there were too many in
 * that time, and what was taken in it is the limit, be it a second or a minute. What was learned is doubted later.
 * A few refusals among many answers teach nothing: each would lower the limit a little, down to a crawl. Nor do more of
 * them, once they have gone on far below what seemed to be the limit.
 */
class LearningPolicy implements GatePolicy<Ticket> {
	private readonly quota = new Quota();
	private readonly doubt = new Doubt();
	private standstill: Standstill | undefined;
	private lastRefusal = -Infinity;
	private resumedAt = -Infinity;
	/** The most in flight that has ever gone well. */
	private proven = 0;
	private heldBackBy: 'quota' | 'ceiling' | undefined;
	private beforeDoubt: Knowledge | undefined;
	private readonly strays = new StrayRefusals();
	/** Since the service has last begun to take requests again. */
	private startedSinceResumed = 0;
	private widthBeforeStandstill = 0;
	/** When a long standstill last ended, and the service began to count anew. */
	private stretchStart: number | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly width: Width,
	) {}

	get isStandingStill(): boolean {
		return this.standstill !== undefined;
	}

	wait(inFlight: number): number {
		const now = this.clock.now();
		if (this.standstill) {
			return Math.max(this.quota.wait(now), this.standstill.waitToProbe(now, inFlight));
		}
		this.doubtIfDue(now);
		if (inFlight >= this.width.width) {
			if (inFlight >= this.width.ceiling) this.heldBackBy = 'ceiling';
			return Infinity;
		}
		const wait = this.quota.wait(now);
		if (wait > 0) this.heldBackBy = 'quota';
		return wait;
	}

	started(inFlight: number): Ticket {
		const now = this.clock.now();
		const startedBefore = this.startedSinceResumed++;
		const ticket = { ...this.width.started(inFlight, now), proven: this.proven, startedBefore };
		this.quota.started(now);
		this.standstill?.probeStarted(ticket);
		return ticket;
	}

	answered(ticket: Ticket, pushback: Pushback, inFlight: number): void {
		const now = this.clock.now();
		this.strays.answered(pushback.kind === 'throttled');
		if (pushback.kind === 'throttled') return this.refused(ticket, now, pushback.retryAfterMs);
		if (pushback.kind === 'ok') this.proven = Math.max(this.proven, ticket.inFlight);
		this.width.answered(ticket, now, inFlight, pushback.kind === 'overloaded');
		if (this.standstill?.isProbe(ticket)) this.resume(this.standstill, ticket.startedAt, now);
	}

	private refused(ticket: Ticket, now: number, retryAfterMs: number | undefined): void {
		this.quota.refused(ticket.startedAt);
		if (this.standstill === undefined) {
			// A late echo of the standstill before.
			if (ticket.startedAt < this.resumedAt) return;
			this.standstill = new Standstill(now);
			this.widthBeforeStandstill = this.width.width;
			const narrow = this.width.width * WIDTH_AFTER_REFUSAL;
			this.width.narrowTo(Math.max(LEAST_WIDTH_AFTER_REFUSAL, narrow));
		}
		this.standstill.refused(ticket, now, retryAfterMs);
	}

	private resume(standstill: Standstill, probeStartedAt: number, now: number): void {
		this.standstill = undefined;
		this.resumedAt = now;
		this.startedSinceResumed = 0;
		if (this.isStray(standstill, probeStartedAt)) {
			return this.width.narrowTo(this.widthBeforeStandstill);
		}
		this.strays.explained();
		// What it allows in a time is the quota's business from now on.
		if (standstill.isAboutRate) {
			this.width.narrowTo(this.widthBeforeStandstill * WIDTH_AFTER_RATE);
		}
		const boldness = this.learn(standstill, probeStartedAt);
		this.beforeDoubt = undefined;
		this.heldBackBy = undefined;
		this.lastRefusal = standstill.since;
		this.doubt.rest(now, this.quota.windowMs, boldness);
	}

	private isStray(
		{ since, isAboutRate, startedBefore }: Standstill,
		probeStartedAt: number,
	): boolean {
		if (this.beforeDoubt !== undefined || this.isLong(since, probeStartedAt)) return false;
		return this.strays.isStray(startedBefore, isAboutRate);
	}

	private isLong(since: number, probeStartedAt: number): boolean {
		const long = this.strays.areCommon ? LONG_STANDSTILL_AMONG_STRAYS_MS : LONG_STANDSTILL_MS;
		return probeStartedAt - since > long;
	}

	/** Gives how boldly what was learned may be doubted. */
	private learn(standstill: Standstill, probeStartedAt: number): number {
		if (this.isLong(standstill.since, probeStartedAt)) {
			this.learnLongWindow(standstill, probeStartedAt);
			return BOLD;
		}
		if (this.beforeDoubt) {
			this.quota.set(this.beforeDoubt.quota, this.beforeDoubt.windowMs);
			this.width.ceiling = this.beforeDoubt.ceiling;
			this.doubt.refuted();
			return CAUTIOUS;
		}
		const isFirst = this.quota.size === Infinity;
		this.width.ceiling = standstill.isAboutRate ? WIDEST : standstill.fewestInFlight - 1;
		if (standstill.isAboutRate || standstill.wasTold) this.learnRate(standstill);
		// Told to wait, nobody could try whether a single request is taken at once: what was learned is a guess.
		return standstill.wasTold && isFirst ? BOLD : CAUTIOUS;
	}

	private learnLongWindow({ since }: Standstill, probeStartedAt: number): void {
		// How much of the first window others had used up before us, nobody knows: it teaches nothing but its end.
		if (this.stretchStart !== undefined) {
			const taken = this.quota.takenBetween(this.stretchStart - 1, since);
			this.quota.set(taken, probeStartedAt - this.stretchStart);
			this.width.ceiling = WIDEST;
		} else {
			this.width.ceiling = Math.min(this.width.ceiling, WIDTH_UNTIL_WINDOW_IS_KNOWN);
		}
		this.stretchStart = probeStartedAt;
	}

	private learnRate({ refusedStarts }: Standstill): void {
		const rates = refusedStarts.map((start) => this.takenPerSecondBefore(start));
		const size = Math.min(this.quota.size, ...rates);
		if (size === Infinity) return;
		const isNone = this.strays.outlast(this.quota.size, size);
		this.quota.set(isNone ? Infinity : size, SECOND_MS);
	}

	/** A limit per second cannot be higher than what had been taken in the second before a refusal. */
	private takenPerSecondBefore(start: number): number {
		// Right after a refusal only what has come back since can be taken: that, too, is a rate.
		const span = Math.min(SECOND_MS, start - this.lastRefusal);
		const taken = this.quota.takenBetween(start - span, start);
		return taken > 0 ? (taken * SECOND_MS) / span : Infinity;
	}

	/** A limit that holds nobody back is left alone. */
	private doubtIfDue(now: number): void {
		if (this.heldBackBy === undefined || !this.doubt.isDue(now)) return;
		const { size, windowMs } = this.quota;
		const { ceiling } = this.width;
		this.beforeDoubt = { quota: size, windowMs, ceiling };
		const share = this.doubt.raise(now, windowMs);
		const raised = (limit: number) => Math.ceil(limit * (1 + share));
		if (this.heldBackBy === 'quota') this.quota.set(raised(size), windowMs);
		else this.width.ceiling = raised(ceiling);
		this.heldBackBy = undefined;
	}
}
