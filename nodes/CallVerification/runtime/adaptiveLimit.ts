import type { Clock } from './clock';
import { Gate } from './gate';
import { FIRST_WIDTH, InFlightWidth, STEP, TYPICAL_LIMIT, type Width } from './inFlightWidth';
import type { Pushback } from './limit';
import { ALL, type Allowed, SECOND_MS, Starts } from './quota';
import { LONGEST_PAUSE_MS, Standstill, type Ticket } from './standstill';

/** What was learned is doubted after this time, and twice as late whenever it was right. */
const PATIENCE_MS = 5000;
/** So many windows show whether a service takes more in one, and whether it counts for longer. */
const WINDOWS_TO_PROVE = 3;
/** So much refused is no harm: by chance, or as the price of asking for more. */
const SMALL_SHARE = 0.1;
/** Lowered so often in a row, no limit explains what is still refused. */
const LOWERINGS_IN_VAIN = 4;

/** Finds out by itself what the service can take: how many at once, and how many in which time. */
export function adaptiveLimit(clock: Clock): LearningLimit {
	return new LearningLimit(clock, new InFlightWidth());
}

/**
 * A refusal does not say which limit was met, so everything stops. If most of what was sent later is taken, it was a
 * stray one. If not, a single request is tried. If so many in flight had never gone well before, and it is taken at once,
 * they were too many. Else they were too many in that time, and what was taken in it is the limit. It is doubted later.
 */
export class LearningLimit extends Gate<Ticket> {
	private readonly starts = new Starts();
	private index = 0;
	/** The most in flight that has ever gone well. */
	private proven = 0;
	private recentlyRefused = 0;
	private allowed: Allowed = ALL;
	private beforeDoubt: Allowed | undefined;
	private doubtAt = Infinity;
	private doubtShare = SMALL_SHARE;
	private patienceMs = PATIENCE_MS;
	private standstill: Standstill | undefined;
	private lastRefusal = -Infinity;
	private resumedAt = -Infinity;
	/** When a long standstill last ended, and the service began to count anew. */
	private stretchStart: number | undefined;
	private lowerings = 0;
	private lastLowering = -Infinity;
	private areStraysCommon = false;

	constructor(
		clock: Clock,
		private readonly width: Width,
	) {
		super(clock);
	}

	/** Nothing is in flight, and the service does not refuse. */
	get isCalm(): boolean {
		return this.isEmpty && this.standstill === undefined;
	}

	/** Between two runs: what is kept for days must not grow. No service allows so many in a window. */
	rest(): void {
		this.starts.keepLast(TYPICAL_LIMIT ** 2);
	}

	protected wait(inFlight: number): number {
		const now = this.clock.now();
		if (this.standstill) {
			const wait = this.standstill.wait(now, inFlight) || this.starts.wait(this.allowed, 0, now);
			if (wait > 0 || !this.isStray(this.standstill)) return wait;
			this.standstill = undefined;
			this.resumedAt = now;
		}
		if (inFlight >= this.width.width) return Infinity;
		const wait = this.starts.wait(this.allowed, inFlight, now);
		// A limit that holds nobody back is left alone.
		if (wait > 0 && now >= this.doubtAt) this.doubt(inFlight, now);
		return wait;
	}

	protected started(inFlight: number): Ticket {
		const startedAt = this.clock.now();
		const { proven, width } = this;
		const ticket = { startedAt, inFlight, width: width.width, proven, index: this.index++ };
		this.starts.add(startedAt);
		if (this.standstill) this.standstill.probe = ticket;
		return ticket;
	}

	protected answered(ticket: Ticket, pushback: Pushback): void {
		const now = this.clock.now();
		const isRefused = pushback.kind === 'throttled';
		this.recentlyRefused += (Number(isRefused) - this.recentlyRefused) / TYPICAL_LIMIT;
		if (isRefused) {
			this.starts.remove(ticket.startedAt);
			// A late echo of the standstill before is left alone.
			if (ticket.startedAt >= this.resumedAt) this.standstill ??= new Standstill(now);
			return this.standstill?.wasRefused(ticket, now, pushback.retryAfterMs);
		}
		if (pushback.kind === 'ok') this.proven = Math.max(this.proven, ticket.inFlight);
		this.width.answered(ticket, now, pushback.kind === 'overloaded');
		if (this.standstill?.wasTaken(ticket)) this.learn(this.standstill, ticket.startedAt, now);
	}

	private isStray({ looksStray }: Standstill): boolean {
		const mostStray = this.areStraysCommon ? 1 / 2 : SMALL_SHARE;
		return looksStray && this.beforeDoubt === undefined && this.recentlyRefused < mostStray;
	}

	private learn(standstill: Standstill, probeStartedAt: number, now: number): void {
		if (probeStartedAt - standstill.since > WINDOWS_TO_PROVE * SECOND_MS) {
			this.learnLongWindow(standstill.since, probeStartedAt);
		} else if (this.beforeDoubt) {
			this.allowed = this.beforeDoubt;
			this.patienceMs = Math.min(LONGEST_PAUSE_MS, this.patienceMs * 2);
		} else if (this.recentlyRefused > 1 / 2 || this.isLimit(standstill)) {
			this.learnLimit(standstill);
		}
		this.beforeDoubt = undefined;
		this.standstill = undefined;
		this.resumedAt = now;
		this.lastRefusal = standstill.since;
		this.doubtAt = now + Math.max(this.patienceMs, WINDOWS_TO_PROVE * this.allowed.windowMs);
	}

	private isLimit({ probesRefused }: Standstill): boolean {
		// One probe may be refused by chance, but hardly two.
		if (this.areStraysCommon && probesRefused < 2) return false;
		const isSoon = this.index < this.lastLowering + TYPICAL_LIMIT;
		this.lowerings = isSoon ? this.lowerings + 1 : 1;
		this.lastLowering = this.index;
		if (this.lowerings <= LOWERINGS_IN_VAIN) return true;
		this.areStraysCommon = true;
		this.allowed = ALL;
		return false;
	}

	private learnLongWindow(since: number, probeStartedAt: number): void {
		this.width.narrow();
		// How much of the first window others had used up, nobody knows: it teaches only to meet the next end gently.
		this.allowed = { ...this.allowed, atOnce: FIRST_WIDTH };
		if (this.stretchStart !== undefined) {
			const most = Math.max(1, this.starts.countBetween(this.stretchStart - 1, since));
			this.allowed = { ...ALL, most, windowMs: probeStartedAt - this.stretchStart };
		}
		this.stretchStart = probeStartedAt;
	}

	private learnLimit({ isAboutRate, refused }: Standstill): void {
		const { most, windowMs } = this.allowed;
		if (isAboutRate) {
			this.width.narrow();
			const rates = refused.map(({ startedAt }) => this.takenPerSecondBefore(startedAt));
			this.allowed = {
				...ALL,
				most: Math.max(1, Math.floor(Math.min(most / STEP, ...rates))),
				windowMs: most === 1 ? 2 * windowMs : SECOND_MS,
				// Refused again, they may have come too close together.
				spreadMs: most === Infinity ? ALL.spreadMs : SECOND_MS,
			};
		} else {
			const fewest = Math.min(...refused.map(({ inFlight }) => inFlight));
			this.proven = Math.min(this.proven, fewest - 1);
			this.allowed = { ...this.allowed, atOnce: Math.max(1, fewest - 1) };
		}
	}

	/** A limit per second is not higher than what was taken in the second, or since the last refusal, before another. */
	private takenPerSecondBefore(start: number): number {
		const span = Math.min(SECOND_MS, start - this.lastRefusal);
		const taken = this.starts.countBetween(start - span, start);
		return taken > 0 ? (taken * SECOND_MS) / span : Infinity;
	}

	/** Asks for more than what was learned: for twice as much more whenever that was taken. */
	private doubt(inFlight: number, now: number): void {
		const { most, windowMs, atOnce } = this.allowed;
		this.doubtShare = this.beforeDoubt ? Math.min(1, this.doubtShare * 2) : SMALL_SHARE;
		const raised = (limit: number) => Math.ceil(limit * (1 + this.doubtShare));
		const more = inFlight < atOnce ? { most: raised(most) } : { atOnce: raised(atOnce) };
		this.beforeDoubt = this.allowed;
		this.allowed = { ...this.allowed, ...more };
		this.doubtAt = now + WINDOWS_TO_PROVE * windowMs;
	}
}
