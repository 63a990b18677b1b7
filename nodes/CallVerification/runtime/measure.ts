/** How much of what was added in flight must come out as throughput; the rest only waits at the service. */
const WORTH_IT = 0.25;
/** A smaller change of what is in flight shows nothing but chance. */
const NOTICEABLE = 1.1;

/** What is remembered about a request under way. */
export interface Flight {
	readonly startedAt: number;
	/** How many were in flight when it started, itself included. */
	readonly inFlight: number;
	readonly generation: number;
}

/** What a number of answers says about the service. */
export class Measure {
	private answers = 0;
	private failures = 0;
	private sumLatency = 0;
	/** In flight, times how long. */
	private flightTime = 0;
	private watchedMs = 0;

	constructor(readonly size: number) {}

	/** So many were in flight for so long. */
	see(inFlight: number, milliseconds: number): void {
		this.watchedMs += milliseconds;
		this.flightTime += inFlight * milliseconds;
	}

	add(flight: Flight, now: number, failed: boolean): void {
		this.answers++;
		if (failed) this.failures++;
		this.sumLatency += now - flight.startedAt;
	}

	get isComplete(): boolean {
		return this.answers >= this.size;
	}

	get failedShare(): number {
		return this.failures / this.answers;
	}

	/** How long an answer takes on average. */
	get latency(): number {
		return this.sumLatency / this.answers;
	}

	isWiderThan(before: Measure): boolean {
		return this.inFlight >= before.inFlight * NOTICEABLE;
	}

	isWorthItsWidthAfter(before: Measure): boolean {
		const added = this.inFlight / before.inFlight - 1;
		return this.throughput >= before.throughput * (1 + WORTH_IT * added);
	}

	private get inFlight(): number {
		return this.flightTime / Math.max(1, this.watchedMs);
	}

	/** By Little's law: what is in flight, divided by how long each is. Holds whatever else slows the sending. */
	private get throughput(): number {
		return this.inFlight / Math.max(1, this.latency);
	}
}
