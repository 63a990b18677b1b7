/** Most services count per second. If one counts over a longer time, that shows. */
export const SECOND_MS = 1000;
/** The service counts arrivals, we count starts, and the time in between varies by some milliseconds. */
const MARGIN_MS = 50;
/** If the service does not say how long to wait: enough for a limit per second, and doubled for longer ones. */
const FIRST_WAIT_MS = 250;
/** With a longer wait, we would notice too late that the service allows more. */
export const LONGEST_WAIT_MS = 30_000;

/**
 * What a service seems to allow: `most` in any `windowMs`, and `atOnce` in flight. Most services that count per second
 * allow few at the same instant, so a quota is spread over `spreadMs`.
 */
export const ALL = { most: Infinity, windowMs: SECOND_MS, spreadMs: 500, atOnce: Infinity };
export type Allowed = Readonly<typeof ALL>;

/** What is remembered about a request in flight, as it was when it started. */
export interface Ticket {
	readonly startedAt: number;
	/** How many had started before it. */
	readonly index: number;
	readonly inFlight: number;
	/** The most in flight that had ever gone well, and the most that were allowed. */
	readonly proven: number;
	readonly width: number;
	/** By how many the requests up to it exceeded what the service had announced. */
	readonly excess: number;
}

/** The start times of requests that the service has taken or may still take. */
export class Starts {
	private times: number[] = [];

	add(now: number): void {
		this.times.push(now);
	}

	remove(startedAt: number): void {
		this.times.splice(this.times.lastIndexOf(startedAt), 1);
	}

	keepLast(count: number): void {
		this.times = this.times.slice(-count);
	}

	/** How many started after `from` and not after `to`. */
	countBetween(from: number, to: number): number {
		const lastUntil = (end: number) => this.times.findLastIndex((start) => start <= end);
		return lastUntil(to) - lastUntil(from);
	}

	/** Milliseconds until one more may start. */
	wait({ most, windowMs, spreadMs, atOnce }: Allowed, inFlight: number, now: number): number {
		if (inFlight >= atOnce) return Infinity;
		// One more would be too many as long as this one is in the window. Without a limit, there is none.
		const first = this.times.at(-most) ?? -Infinity;
		const last = this.times.at(-1) ?? -Infinity;
		const mayStartAt = Math.max(first + windowMs + MARGIN_MS, last + spreadMs / most);
		return Math.max(0, Math.ceil(mayStartAt - now));
	}
}

/** What a service says it takes. Over which time, it does not say, and that of a reset has no agreed unit. */
export interface AnnouncedLimit {
	readonly limit: number;
	readonly remaining: number;
}

/** In lower case, as n8n returns them. */
const PREFIXES = ['x-rate-limit-', 'x-ratelimit-', 'ratelimit-'];
/** What may follow is the policy of the draft standard: "30, 30;w=1". */
const WHOLE_NUMBER = /^\s*(\d{1,9})\s*([,;]|$)/;

type Headers = Readonly<Record<string, unknown>>;

/** Undefined if the headers are missing or cannot be true. */
export function announcedLimit(headers: Headers): AnnouncedLimit | undefined {
	const limit = announcedNumber(headers, 'limit');
	const remaining = announcedNumber(headers, 'remaining');
	if (limit === undefined || remaining === undefined) return undefined;
	return limit > 0 && remaining <= limit ? { limit, remaining } : undefined;
}

function announcedNumber(headers: Headers, name: keyof AnnouncedLimit): number | undefined {
	for (const prefix of PREFIXES) {
		const digits = WHOLE_NUMBER.exec(String(headers[prefix + name]))?.[1];
		if (digits !== undefined) return Number(digits);
	}
	return undefined;
}

/**
 * Holds back what exceeds the number of requests that the service said it would still take. One request tests that. If
 * it is taken, the service has a new count, or was wrong, so twice as many may follow.
 */
export class Remaining {
	private remaining = Infinity;
	/** The latest request whose response said so. */
	private heardBy = -1;
	private excessAllowed = 1;

	/** How many more requests have started than the service said it would take, up to this one. */
	excess(index: number): number {
		return index - this.heardBy - this.remaining;
	}

	/** Whether another request may start. Those that are no longer in flight have done no harm. */
	allows(index: number, inFlight: number): boolean {
		const excessInFlight = inFlight + 1 - this.remaining;
		return Math.min(this.excess(index), excessInFlight) <= this.excessAllowed;
	}

	/** Returns whether everything went as announced until this request, which was the first to exceed it. */
	answered({ index, excess }: Ticket, isRefused: boolean, announced?: AnnouncedLimit): boolean {
		const isTest = excess === 1 && this.excessAllowed === 1;
		// Some had started before the service said anything.
		const taken = Math.max(excess, this.excess(index));
		this.excessAllowed = isRefused ? 1 : Math.max(this.excessAllowed, 2 * taken);
		if (announced !== undefined && index >= this.heardBy) {
			this.heardBy = index;
			this.remaining = announced.remaining;
		}
		return isTest;
	}

	/** Between runs, because it is soon out of date. */
	forget(): void {
		this.remaining = Infinity;
	}
}

/** From the first refusal until a probe is taken: nothing starts, all in flight end, then single requests probe. */
export class Pause {
	readonly refused: Ticket[] = [];
	/** Without a Retry-After. */
	probesRefused = 0;
	/** In flight. */
	probe: Ticket | undefined;
	private readonly taken: Ticket[] = [];
	private wasTold = false;
	private waitUntil = -Infinity;

	constructor(readonly since: number) {}

	/** That many in flight had gone well before, so it must have been the rate. */
	get isAboutRate(): boolean {
		return this.refused.some(({ inFlight, proven }) => inFlight <= proven);
	}

	/** Without a Retry-After, over two thirds of the requests since the first refused one were taken. */
	get looksLikeChance(): boolean {
		if (this.wasTold || this.probesRefused > 0) return false;
		const first = Math.min(...this.refused.map(({ index }) => index));
		const takenLater = this.taken.filter(({ index }) => index > first);
		return takenLater.length > 2 * this.refused.length;
	}

	/** Milliseconds until a probe may start. */
	wait(now: number, inFlight: number): number {
		if (this.probe !== undefined) return Infinity;
		// All that are in flight should end first, but one that hangs must not hold up everything.
		const drainedAt = inFlight === 0 ? now : this.since + SECOND_MS;
		return Math.max(0, this.waitUntil - now, drainedAt - now);
	}

	/** Whether it was the probe. */
	wasTaken(ticket: Ticket): boolean {
		this.taken.push(ticket);
		return ticket === this.probe;
	}

	wasRefused(ticket: Ticket, now: number, retryAfterMs = 0): void {
		this.refused.push(ticket);
		if (retryAfterMs > 0) this.wasTold = true;
		let waitMs = retryAfterMs;
		if (ticket === this.probe) {
			this.probe = undefined;
			// A Retry-After of 0 is no reason to ask again and again.
			if (waitMs === 0) {
				waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.probesRefused);
				this.probesRefused++;
			}
		}
		this.waitUntil = Math.max(this.waitUntil, now + waitMs);
	}
}

/** Low enough for a service that takes only a few at once. */
export const FIRST_WIDTH = 16;
/** More connections cost n8n more than they bring. */
export const WIDEST = 64;
/** Many services allow this many per second, and up to half as many more at first. */
export const TYPICAL_LIMIT = 100;
/** Hitting a limit gets everything in flight refused, so this is the most until a typical limit would have shown. */
const WIDE_AT_FIRST = 40;
/** A smaller change would be lost in the random differences between responses. */
export const STEP = 5 / 4;
/** Measuring takes more than one round of responses, because the quick ones come first. */
const ROUNDS = 2;

interface Trial {
	readonly width: number;
	readonly latencyMs: number;
}

/** By Little's law, throughput is width / latency. It must gain a third of the added width; the rest queues. */
function isWorthIt(before: Trial, now: Trial): boolean {
	const wider = now.width / before.width;
	const throughputGained = (wider * before.latencyMs) / now.latencyMs;
	return throughputGained >= (2 + wider) / 3;
}

const NOTHING = { answers: 0, failures: 0, mostInFlight: 0, sumLatencyMs: 0 };

/** How many may be in flight. Hill climbing: grows as long as throughput does. Slower responses end the growth. */
export class ConcurrencyLimit {
	private chosen = FIRST_WIDTH;
	private measured = { ...NOTHING };
	/** At the width before the current trial. */
	private before: Trial | undefined;
	/** The next trial multiplies the width by this: a lot, until that proves too much. */
	private step = WIDE_AT_FIRST / FIRST_WIDTH;
	private answers = 0;
	private quickestMs = Infinity;

	get width(): number {
		const most = this.answers < 1.5 * TYPICAL_LIMIT ? WIDE_AT_FIRST : WIDEST;
		return Math.min(this.chosen, most);
	}

	answered(ticket: Ticket, now: number, failed: boolean): void {
		const { measured, width } = this;
		this.answers++;
		// Requests that started at another width say nothing about this one.
		if (ticket.width !== width) return;
		measured.answers++;
		measured.failures += Number(failed);
		measured.mostInFlight = Math.max(measured.mostInFlight, ticket.inFlight);
		measured.sumLatencyMs += now - ticket.startedAt;
		if (measured.failures > width / 4 || measured.answers % width === 0) this.judge();
	}

	/** Halves it at once, to 16 at most, whatever was measured. It grows again from there. */
	narrow(): void {
		this.turnTo(Math.min(FIRST_WIDTH, this.width / 2), STEP);
	}

	/** Decides at which width to go on, from what was measured at this one. */
	private judge(): void {
		const { chosen: width, before, step } = this;
		const { answers, failures, mostInFlight, sumLatencyMs } = this.measured;
		const latencyMs = Math.max(1, sumLatencyMs / answers);
		this.quickestMs = Math.min(this.quickestMs, latencyMs);
		const isGrowing = step > 1;
		const otherWay = isGrowing ? 1 / STEP : STEP;

		const hasFailures = failures > 0;
		const hasGainedLittle = before !== undefined && !isWorthIt(before, { width, latencyMs });
		const isTooEarly = answers < width * ROUNDS && this.answers !== FIRST_WIDTH;
		// If the service is as quick as ever, fewer requests can only be slower.
		const cannotGoFurther = isGrowing ? width === WIDEST : latencyMs < this.quickestMs * STEP;
		// A width that held nothing back proves nothing.
		const hasProvedNothing = mostInFlight < this.width;

		if (hasFailures) {
			// A few failures have nothing to do with load, and must not slow everything to a crawl.
			const share = Math.max(1 / 2, STEP * (1 - failures / answers));
			this.turnTo(width * share, STEP);
		} else if (hasGainedLittle) {
			this.turnTo(before.width, otherWay);
		} else if (isTooEarly) {
			return;
		} else if (cannotGoFurther) {
			this.turnTo(width, otherWay);
		} else if (hasProvedNothing) {
			this.turnTo(width, step);
		} else {
			this.turnTo(isGrowing ? width * step : Math.floor(width * step), step);
			this.before = { width, latencyMs };
		}
	}

	private turnTo(width: number, step: number): void {
		// With one at a time, it would only take longer to find out that nothing works.
		this.chosen = Math.min(WIDEST, Math.max(2, Math.ceil(width)));
		this.measured = { ...NOTHING };
		this.before = undefined;
		this.step = step;
	}
}
