import type { Ticket } from './standstill';

/** Few enough for a service that takes only some at once. */
export const FIRST_WIDTH = 16;
/** More connections cost n8n more than they bring. */
const WIDEST = 64;
/** Many services allow so many per second, and twice as many where two of their windows meet. */
export const TYPICAL_LIMIT = 100;
/** All that is in flight when a limit is met is refused: until a typical one would have shown, that is no more. */
const WIDE_AT_FIRST = 40;
/** A smaller change would drown in the chance differences between answers. */
export const STEP = 5 / 4;
/** A measure takes more than one round of answers, because the quick ones come first. */
const ROUNDS = 2;

/** How many requests may be in flight. */
export interface Width {
	readonly width: number;
	answered(ticket: Ticket, now: number, failed: boolean): void;
	/** Narrows at once, whatever the measures say, and grows again from there. */
	narrow(): void;
}

/** What the answers at one width say. */
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

	/** By Little's law, throughput is width by latency. A third of what was added must come out: the rest only queues. */
	isWorthItAfter(before: Measure): boolean {
		const wider = this.width / before.width;
		return (wider * before.latencyMs) / this.latencyMs >= (2 + wider) / 3;
	}
}

/** A hill climb: grows as long as throughput grows with it. Where the service only gets slower, more helps nobody. */
export class InFlightWidth implements Width {
	private measure = new Measure(FIRST_WIDTH);
	/** At the width before the trial that is going on. */
	private before: Measure | undefined;
	/** What the next trial multiplies the width by: a lot, until that was too much. */
	private step = WIDE_AT_FIRST / FIRST_WIDTH;
	private answers = 0;
	private quickestMs = Infinity;

	get width(): number {
		return Math.min(this.measure.width, this.answers < 2 * TYPICAL_LIMIT ? WIDE_AT_FIRST : WIDEST);
	}

	answered(ticket: Ticket, now: number, failed: boolean): void {
		const { measure, width } = this;
		this.answers++;
		// What started at another width says nothing about this one.
		if (ticket.width !== width) return;
		measure.add(ticket, now, failed);
		if (measure.failures > width / 4 || measure.answers % width === 0) this.judge(measure);
	}

	narrow(): void {
		this.turnTo(Math.min(this.width, FIRST_WIDTH / 2), STEP);
	}

	private judge(measure: Measure): void {
		const { width, answers, failures } = measure;
		this.quickestMs = Math.min(this.quickestMs, measure.latencyMs);
		if (failures > 0) {
			// A few have nothing to do with load, and must not bring everything to a crawl.
			this.turnTo(width * Math.max(1 / 2, STEP * (1 - failures / answers)), STEP);
		} else if (this.before && !measure.isWorthItAfter(this.before)) {
			this.turnTo(this.before.width, this.step > 1 ? 1 / STEP : STEP);
		} else if (answers >= width * ROUNDS || this.answers === FIRST_WIDTH) {
			this.tryNext(measure);
		}
	}

	private tryNext(measure: Measure): void {
		const { width, latencyMs, mostInFlight } = measure;
		// Where the service is as quick as ever, fewer can only lose.
		const isPointless = this.step > 1 ? width === WIDEST : latencyMs < this.quickestMs * STEP;
		if (isPointless) return this.turnTo(width, this.step > 1 ? 1 / STEP : STEP);
		// A width that held nobody back proves nothing.
		if (mostInFlight < this.width) return this.turnTo(width);
		this.turnTo(this.step > 1 ? width * this.step : Math.floor(width * this.step));
		this.before = measure;
	}

	private turnTo(width: number, step = this.step): void {
		this.measure = new Measure(Math.min(WIDEST, Math.max(1, Math.ceil(width))));
		this.before = undefined;
		this.step = step;
	}
}
