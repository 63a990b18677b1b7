/** Most services count per second. If one counts over a longer time, that shows. */
export const SECOND_MS = 1000;
/** The service counts arrivals, we count starts, and the time in between varies by some milliseconds. */
const MARGIN_MS = 50;
/** Most services that count per second allow few at the same instant, so a quota is not used up in one go. */
const SPREAD_MS = 500;

/** What a service seems to allow: `most` in any `windowMs`, spread over `spreadMs`, and `atOnce` in flight. */
export const ALL = { most: Infinity, windowMs: SECOND_MS, spreadMs: SPREAD_MS, atOnce: Infinity };
export type Allowed = Readonly<typeof ALL>;

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
