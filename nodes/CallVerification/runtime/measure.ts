/**
 * How much of what was added in flight must come out as throughput, the rest only waits at the service; or, when less is
 * in flight, how much of the difference throughput may lose.
 */
const WORTH_IT = 0.25;
/** A smaller change of what is in flight shows nothing but chance. */
const NOTICEABLE = 1.1;

/** The fewer the answers, the more of a loss may be mere chance. */
const ANSWERS_BY_CHANCE = 4;

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
	private sumInFlight = 0;
	private sumLatency = 0;

	constructor(readonly size: number) {}

	add(flight: Flight, now: number, failed: boolean): void {
		this.answers++;
		if (failed) this.failures++;
		this.sumInFlight += flight.inFlight;
		this.sumLatency += now - flight.startedAt;
	}

	get isComplete(): boolean {
		return this.answers >= this.size;
	}

	get failedShare(): number {
		return this.failures / this.answers;
	}

	isWiderThan(before: Measure): boolean {
		return this.inFlight >= before.inFlight * NOTICEABLE;
	}

	/** So clearly that it cannot be chance. */
	isClearlySlowerThan(before: Measure): boolean {
		return this.throughput < before.throughput * (1 - ANSWERS_BY_CHANCE / this.answers);
	}

	isWorthItsWidthAfter(before: Measure): boolean {
		const added = this.inFlight / before.inFlight - 1;
		return this.throughput >= before.throughput * (1 + WORTH_IT * added);
	}

	private get inFlight(): number {
		return this.sumInFlight / this.answers;
	}

	/** By Little's law: what is in flight, divided by how long each is. Holds whatever else slows the sending. */
	private get throughput(): number {
		return this.sumInFlight / Math.max(1, this.sumLatency);
	}
}
