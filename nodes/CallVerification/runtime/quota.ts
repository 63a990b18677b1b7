/** The service counts arrivals, we count starts: the way between them varies by some milliseconds. */
const MARGIN_MS = 50;
/** Services that count per second mostly allow little at one instant, so the quota is not used up in one go. */
const SPREAD_MS = 500;
/** More than any window holds that a run has the patience for; half of them go when there are more. */
const MOST_REMEMBERED = 200_000;

/** "At most so many requests in any stretch of so long": what a service is thought to allow. */
export class Quota {
	private most = Infinity;
	private stretchMs = 1000;
	/** When the requests started that the service has taken, or may still take. Ascending. */
	private readonly starts: number[] = [];

	get size(): number {
		return this.most;
	}

	get windowMs(): number {
		return this.stretchMs;
	}

	set(size: number, windowMs: number): void {
		this.most = Math.max(1, Math.floor(size));
		this.stretchMs = windowMs;
	}

	/** Milliseconds until one more may start. */
	wait(now: number): number {
		const mustBeOver = this.starts[this.starts.length - this.most] ?? -Infinity;
		const last = this.starts[this.starts.length - 1] ?? -Infinity;
		const next = Math.max(mustBeOver + this.stretchMs + MARGIN_MS, last + SPREAD_MS / this.most);
		return Math.max(0, Math.ceil(next - now));
	}

	started(now: number): void {
		if (this.starts.length === MOST_REMEMBERED) this.starts.splice(0, MOST_REMEMBERED / 2);
		this.starts.push(now);
	}

	refused(startedAt: number): void {
		this.starts.splice(this.starts.lastIndexOf(startedAt), 1);
	}

	/** How many of those that started after `from` and not after `to` were taken. */
	takenBetween(from: number, to: number): number {
		return this.countUntil(to) - this.countUntil(from);
	}

	private countUntil(time: number): number {
		let low = 0;
		let high = this.starts.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((this.starts[middle] ?? Infinity) <= time) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
