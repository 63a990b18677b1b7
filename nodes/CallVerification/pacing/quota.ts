/** Most services count per second. If one counts over a longer time, that shows. */
export const SECOND_MS = 1000;
/** The service counts arrivals, we count starts, and the time in between varies by some milliseconds. */
const MARGIN_MS = 50;
/** Most services that count per second allow few at the same instant, so a quota is not used up in one go. */
const SPREAD_MS = 500;
/** If the service does not say how long to wait: enough for a limit per second, and doubled for longer ones. */
const FIRST_WAIT_MS = 250;
/** With a longer wait, we would notice too late that the service allows more. */
export const LONGEST_WAIT_MS = 30_000;

/** What a service seems to allow: `most` in any `windowMs`, spread over `spreadMs`, and `atOnce` in flight. */
export const ALL = { most: Infinity, windowMs: SECOND_MS, spreadMs: SPREAD_MS, atOnce: Infinity };
export type Allowed = Readonly<typeof ALL>;

/** What is remembered about a request in flight. */
export interface Ticket {
	readonly startedAt: number;
	/** At its start: how many had started before, were in flight with it, had ever gone well, and were allowed. */
	readonly index: number;
	readonly inFlight: number;
	readonly proven: number;
	readonly width: number;
	/** By how many the requests up to this one exceeded what the service said it would take. */
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
		const mustBeOver = this.times.at(-most) ?? -Infinity;
		const last = this.times.at(-1) ?? -Infinity;
		const next = Math.max(mustBeOver + windowMs + MARGIN_MS, last + spreadMs / most);
		return Math.max(0, Math.ceil(next - now));
	}
}

/** What a service says it takes. Over which time, it does not say, and that of a reset has no agreed unit. */
export interface AnnouncedLimit {
	/** At least 1. */
	readonly limit: number;
	/** How many of them are left; at most all of them. */
	readonly remaining: number;
}

/** With the usual names, in lower case, as n8n returns them. */
const PREFIXES = ['x-rate-limit-', 'x-ratelimit-', 'ratelimit-'];
/** What may follow is the policy of the draft standard: "30, 30;w=1". */
const WHOLE_NUMBER = /^\s*(\d{1,9})\s*([,;]|$)/;

/** Reads the headers of a response; undefined if they are missing or cannot be true. */
export function announcedLimit(
	headers: Readonly<Record<string, unknown>>,
): AnnouncedLimit | undefined {
	const read = (name: string) =>
		PREFIXES.map((prefix) => WHOLE_NUMBER.exec(String(headers[prefix + name]))?.[1]).find(Boolean);
	const limit = Number(read('limit'));
	const remaining = Number(read('remaining'));
	return limit > 0 && remaining <= limit ? { limit, remaining } : undefined;
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
		const excess = Math.min(this.excess(index), inFlight + 1 - this.remaining);
		return excess <= this.excessAllowed;
	}

	/** Whether everything went as announced until this request, which was the first to exceed it. */
	isTestedBy({ excess }: Ticket): boolean {
		return excess === 1 && this.excessAllowed === 1;
	}

	answered({ index, excess }: Ticket, isRefused: boolean, announced?: AnnouncedLimit): void {
		// Some had started before the service said anything.
		const taken = Math.max(excess, this.excess(index));
		this.excessAllowed = isRefused ? 1 : Math.max(this.excessAllowed, 2 * taken);
		if (announced === undefined || index < this.heardBy) return;
		this.heardBy = index;
		this.remaining = announced.remaining;
	}

	/** Called between runs, because it is soon out of date. */
	forget(): void {
		this.remaining = Infinity;
	}
}

/** From the first refusal until a probe is taken: nothing starts, all in flight end, then single requests probe. */
export class Pause {
	readonly refused: Ticket[] = [];
	probesRefused = 0;
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
		const first = Math.min(...this.refused.map(({ index }) => index));
		const takenLater = this.taken.filter(({ index }) => index > first);
		return !this.wasTold && this.probesRefused === 0 && takenLater.length > 2 * this.refused.length;
	}

	/** Milliseconds until a probe may start. */
	wait(now: number, inFlight: number): number {
		if (this.probe !== undefined) return Infinity;
		// A request that hangs must not hold up everything.
		const drainedAt = inFlight === 0 ? now : this.since + SECOND_MS;
		return Math.max(0, this.waitUntil - now, drainedAt - now);
	}

	/** Returns whether this was the probe. */
	wasTaken(ticket: Ticket): boolean {
		this.taken.push(ticket);
		return ticket === this.probe;
	}

	wasRefused(ticket: Ticket, now: number, retryAfterMs = 0): void {
		this.refused.push(ticket);
		this.wasTold ||= retryAfterMs > 0;
		let waitMs = retryAfterMs;
		if (ticket === this.probe) {
			this.probe = undefined;
			// A Retry-After of 0 is no reason to ask again and again.
			waitMs ||= Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.probesRefused++);
		}
		this.waitUntil = Math.max(this.waitUntil, now + waitMs);
	}
}
