import type { Ticket } from './quota';

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

/** What the responses at one width show. */
class Measure {
	answers = 0;
	failures = 0;
	mostInFlight = 0;
	private sumLatencyMs = 0;

	constructor(readonly width: number) {}

	get latencyMs(): number {
		return Math.max(1, this.sumLatencyMs / this.answers);
	}

	add({ startedAt, inFlight }: Ticket, now: number, failed: boolean): void {
		this.answers++;
		this.failures += Number(failed);
		this.mostInFlight = Math.max(this.mostInFlight, inFlight);
		this.sumLatencyMs += now - startedAt;
	}

	/** By Little's law, throughput is width / latency. It must gain a third of the added width; the rest queues. */
	isWorthItAfter(before: Measure): boolean {
		const wider = this.width / before.width;
		return (wider * before.latencyMs) / this.latencyMs >= (2 + wider) / 3;
	}
}

/**
 * How many requests may be in flight. Hill climbing: grows as long as throughput grows with it. If the service only gets
 * slower, more does not help.
 */
export class ConcurrencyLimit {
	private measure = new Measure(FIRST_WIDTH);
	/** At the width before the current trial. */
	private before: Measure | undefined;
	/** The next trial multiplies the width by this: a lot, until that proves too much. */
	private step = WIDE_AT_FIRST / FIRST_WIDTH;
	private answers = 0;
	private quickestMs = Infinity;

	get width(): number {
		const most = this.answers < 1.5 * TYPICAL_LIMIT ? WIDE_AT_FIRST : WIDEST;
		return Math.min(this.measure.width, most);
	}

	answered(ticket: Ticket, now: number, failed: boolean): void {
		const { measure, width } = this;
		this.answers++;
		// Requests that started at another width say nothing about this one.
		if (ticket.width !== width) return;
		measure.add(ticket, now, failed);
		if (measure.failures > width / 4 || measure.answers % width === 0) this.judge(measure);
	}

	/** Halves it at once, to 16 at most, whatever was measured. It grows again from there. */
	narrow(): void {
		this.turnTo(Math.min(FIRST_WIDTH, this.width / 2), STEP);
	}

	private judge(measure: Measure): void {
		const { width, answers, failures } = measure;
		this.quickestMs = Math.min(this.quickestMs, measure.latencyMs);
		if (failures > 0) {
			// A few failures have nothing to do with load, and must not slow everything to a crawl.
			this.turnTo(width * Math.max(1 / 2, STEP * (1 - failures / answers)), STEP);
		} else if (this.before && !measure.isWorthItAfter(this.before)) {
			this.turnTo(this.before.width, this.step > 1 ? 1 / STEP : STEP);
		} else if (answers >= width * ROUNDS || this.answers === FIRST_WIDTH) {
			this.tryNext(measure);
		}
	}

	private tryNext(measure: Measure): void {
		const { width, latencyMs, mostInFlight } = measure;
		// If the service is as quick as ever, fewer requests can only be slower.
		const isPointless = this.step > 1 ? width === WIDEST : latencyMs < this.quickestMs * STEP;
		if (isPointless) return this.turnTo(width, this.step > 1 ? 1 / STEP : STEP);
		// A width that held nothing back proves nothing.
		if (mostInFlight < this.width) return this.turnTo(width);
		this.turnTo(this.step > 1 ? width * this.step : Math.floor(width * this.step));
		this.before = measure;
	}

	private turnTo(width: number, step = this.step): void {
		// With one at a time, it would only take longer to find out that nothing works.
		this.measure = new Measure(Math.min(WIDEST, Math.max(2, Math.ceil(width))));
		this.before = undefined;
		this.step = step;
	}
}
