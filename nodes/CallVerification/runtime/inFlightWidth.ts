import { type Flight, Measure } from './measure';

const FIRST_WIDTH = 8;
export const WIDEST = 64;
const TRIAL_STEP = 1 / 4;
/** Trials compare two measures with each other, so each takes more than one round of answers. */
const ROUNDS_PER_MEASURE = 3;
/** Trials cost throughput and mostly change nothing; after each that was in vain the pause doubles. */
const MEASURES_BETWEEN_TRIALS = { first: 2, most: 8 };
const TELLING_ANSWERS = 32;
const CLEAN_ROUNDS_TO_RECOVER = 8;
const SLOWED_DOWN = 1.2;
const OPPOSITE = { wider: 'narrower', narrower: 'wider' } as const;

type Phase =
	/** At the start: twice as many with every round trip. */
	| { name: 'doubling'; before?: Measure }
	/** After a setback: one more with every round. */
	| { name: 'recovering'; cleanRounds: number }
	| { name: 'holding'; measures: number }
	/** A quarter more, or a quarter less, than `width`. */
	| { name: 'trying'; before: Measure; width: number };

/**
 * How many requests may be in flight. It grows as long as throughput grows with it, and no further: where the service
 * only gets slower, more in flight helps nobody. Failures narrow it by half when a whole round failed, and by less when
 * less did, because failures that have nothing to do with load must not bring everything to a crawl.
 */
export class InFlightWidth {
	private exact = FIRST_WIDTH;
	private highest = WIDEST;
	private phase: Phase = { name: 'doubling' };
	private direction: 'wider' | 'narrower' = 'wider';
	private lastSeen = 0;
	private patience = MEASURES_BETWEEN_TRIALS.first;
	/** The shortest time that answers have taken on average. */
	private quickest = Infinity;
	private measure = new Measure(FIRST_WIDTH);
	/** Raised with every change of course: what started before it says nothing about what is tried now. */
	private generation = 0;

	get width(): number {
		return Math.floor(this.exact);
	}

	get ceiling(): number {
		return this.highest;
	}

	set ceiling(ceiling: number) {
		this.highest = Math.min(WIDEST, Math.max(1, ceiling));
		this.turnTo(this.exact);
	}

	/** `inFlight` counts the request that is starting. */
	started(inFlight: number, now: number): Flight {
		this.see(inFlight - 1, now);
		return { startedAt: now, inFlight, generation: this.generation };
	}

	/** `inFlight` still counts the request that has been answered. */
	answered(flight: Flight, now: number, inFlight: number, failed: boolean): void {
		this.see(inFlight, now);
		if (flight.generation !== this.generation) return;
		this.measure.add(flight, now, failed);
		// One more per answer is a doubling per round trip.
		if (this.phase.name === 'doubling' && !failed && this.isUsedBy(inFlight)) {
			this.exact = this.within(this.exact + 1);
		}
		if (this.measure.isComplete) this.judge(this.measure);
	}

	/** Narrows at once, whatever the measures say, and grows again from there. */
	narrowTo(width: number): void {
		this.phase = { name: 'recovering', cleanRounds: 0 };
		this.turnTo(width);
	}

	/** So many have been in flight since it was last told. */
	private see(inFlight: number, now: number): void {
		if (this.isUsedBy(inFlight)) this.measure.see(inFlight, now - this.lastSeen);
		this.lastSeen = now;
	}

	/** A width that is not used, because something else holds the sending back, proves nothing. */
	private isUsedBy(inFlight: number): boolean {
		return inFlight * 2 > this.exact;
	}

	private judge(measure: Measure): void {
		const { phase } = this;
		// A failure may be quick: it says nothing about how long the work takes.
		if (measure.failedShare === 0) this.quickest = Math.min(this.quickest, measure.latency);
		if (phase.name === 'recovering') this.recover(measure, phase.cleanRounds);
		else if (measure.failedShare > 0) this.recover(measure, 0);
		else if (phase.name === 'doubling') this.goOnDoubling(measure, phase.before);
		else if (phase.name === 'holding') this.goOnHolding(measure, phase.measures + 1);
		else this.endTrial(measure, phase.before, phase.width);
	}

	private recover({ failedShare }: Measure, cleanRoundsBefore: number): void {
		const cleanRounds = failedShare > 0 ? 0 : cleanRoundsBefore + 1;
		if (cleanRounds === CLEAN_ROUNDS_TO_RECOVER) return this.hold(this.exact);
		this.phase = { name: 'recovering', cleanRounds };
		const width = this.exact * (1 - failedShare / 2) + 1;
		if (failedShare > 0) this.turnTo(width);
		else this.growTo(width);
	}

	private goOnDoubling(measure: Measure, before: Measure | undefined): void {
		if (before !== undefined) {
			if (!measure.isWiderThan(before)) return this.hold(this.exact, 1);
			// Fewer answers may be quick or slow by mere chance.
			const isTelling = measure.size >= TELLING_ANSWERS;
			if (isTelling && !measure.isWorthItsWidthAfter(before)) return this.hold(before.size, 1);
		}
		this.phase = { name: 'doubling', before: measure };
		this.growTo(this.exact);
	}

	private goOnHolding(measure: Measure, measures: number): void {
		if (measures < this.patience) return this.hold(this.exact, measures);
		if (!this.canTry(measure)) this.direction = OPPOSITE[this.direction];
		if (this.canTry(measure)) this.tryNext(measure);
		else this.hold(this.exact);
	}

	private endTrial(measure: Measure, before: Measure, width: number): void {
		const isBetter =
			this.direction === 'wider'
				? measure.isWorthItsWidthAfter(before)
				: !before.isWorthItsWidthAfter(measure);
		const { first, most } = MEASURES_BETWEEN_TRIALS;
		this.patience = isBetter ? first : Math.min(most, this.patience * 2);
		if (isBetter && this.canTry(measure)) return this.tryNext(measure);
		this.direction = OPPOSITE[this.direction];
		this.hold(isBetter ? this.exact : width);
	}

	/** Fewer at once can only be better where the service slows down. */
	private canTry(measure: Measure): boolean {
		if (this.direction === 'wider') return this.exact < this.highest;
		return this.exact > 1 && measure.latency > this.quickest * SLOWED_DOWN;
	}

	private tryNext(before: Measure): void {
		const width = this.exact;
		const step = Math.max(1, width * TRIAL_STEP);
		this.turnTo(this.direction === 'wider' ? width + step : width - step, ROUNDS_PER_MEASURE);
		this.phase = { name: 'trying', before, width };
	}

	private hold(width: number, measures = 0): void {
		this.phase = { name: 'holding', measures };
		this.turnTo(width, ROUNDS_PER_MEASURE);
	}

	private turnTo(width: number, rounds = 1): void {
		this.generation++;
		this.growTo(width, rounds);
	}

	private growTo(width: number, rounds = 1): void {
		this.exact = this.within(width);
		this.measure = new Measure(this.width * rounds);
	}

	private within(width: number): number {
		return Math.min(this.highest, Math.max(1, width));
	}
}
