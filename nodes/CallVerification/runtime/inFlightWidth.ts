import { type Flight, Measure } from './measure';

const FIRST_WIDTH = 16;
export const WIDEST = 64;
/**
 * All that is in flight when a limit is met is refused. Many services allow 100 per second: until so many have been
 * answered, no more than this are in flight.
 */
const WIDTH_AT_FIRST = 38;
const ANSWERS_AT_FIRST = 100;
const TRIAL_STEP = 1 / 4;
/** Trials compare two measures with each other, so each takes more than one round of answers. */
const ROUNDS_PER_MEASURE = 3;
/** Trials cost throughput and mostly change nothing. */
const MEASURES_BETWEEN_TRIALS = 2;
const CLEAN_ROUNDS_TO_RECOVER = 8;

type Phase =
	/** At the start: twice as many with every round trip. */
	| { name: 'doubling'; before?: Measure }
	/** After a setback: one more with every round. */
	| { name: 'recovering'; cleanRounds: number }
	| { name: 'holding'; measures: number }
	/** A quarter more, or a quarter less, than `width`. */
	| { name: 'trying'; before: Measure; width: number };

/** How many requests may be in flight. */
export interface Width {
	readonly width: number;
	/** The most that the service is thought to take at once. */
	ceiling: number;
	started(inFlight: number, now: number): Flight;
	/** `inFlight` still counts the request that has been answered. */
	answered(flight: Flight, now: number, inFlight: number, failed: boolean): void;
	/** Narrows at once, whatever the measures say, and grows again from there. */
	narrowTo(width: number): void;
}

/**
 * How many requests may be in flight. It grows as long as throughput grows with it, and no further: where the service
 * only gets slower, more in flight helps nobody. Failures narrow it by half when a whole round failed, and by less when
 * less did, because failures that have nothing to do with load must not bring everything to a crawl.
 */
export class InFlightWidth implements Width {
	private exact = FIRST_WIDTH;
	private highest = WIDEST;
	private phase: Phase = { name: 'doubling' };
	/** Of trials: 1 for wider, -1 for narrower. */
	private direction = 1;
	private measure = new Measure(FIRST_WIDTH);
	private answers = 0;
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

	started(inFlight: number, now: number): Flight {
		return { startedAt: now, inFlight, generation: this.generation };
	}

	answered(flight: Flight, now: number, inFlight: number, failed: boolean): void {
		if (flight.generation !== this.generation) return;
		this.answers++;
		this.measure.add(flight, now, failed);
		// One more per answer is a doubling per round trip. A width that is not used proves nothing, so it stays.
		if (this.isDoubling && !failed && inFlight * 2 > this.exact) {
			this.exact = this.within(this.exact + 1);
		}
		if (this.measure.isComplete) this.judge(this.measure);
	}

	narrowTo(width: number): void {
		this.phase = { name: 'recovering', cleanRounds: 0 };
		this.turnTo(width);
	}

	private get isDoubling(): boolean {
		return this.phase.name === 'doubling' && !this.isWideEnoughAtFirst;
	}

	private get isWideEnoughAtFirst(): boolean {
		return this.answers <= ANSWERS_AT_FIRST && this.exact >= WIDTH_AT_FIRST;
	}

	private judge(measure: Measure): void {
		const { phase } = this;
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
		const isKept = this.isWideEnoughAtFirst;
		if (before !== undefined) {
			if (!isKept && !measure.isWiderThan(before)) return this.hold(this.exact);
			// Few answers, and the quick ones first: only a clear loss is a sure sign. Trials find the rest.
			if (measure.isClearlySlowerThan(before)) {
				return this.hold(Math.min(before.size, this.exact / 2));
			}
		}
		// A width that is kept for a while is compared with what was before it, not with itself.
		this.phase = { name: 'doubling', before: (isKept && before) || measure };
		this.growTo(this.exact);
	}

	private goOnHolding(measure: Measure, measures: number): void {
		if (measures === MEASURES_BETWEEN_TRIALS) return this.tryNext(measure);
		this.phase = { name: 'holding', measures };
		this.turnTo(this.exact, ROUNDS_PER_MEASURE);
	}

	private tryNext(before: Measure): void {
		const width = this.exact;
		const step = Math.max(1, width * TRIAL_STEP);
		this.turnTo(width + this.direction * step, ROUNDS_PER_MEASURE);
		if (this.exact === width) this.turnBackTo(width);
		else this.phase = { name: 'trying', before, width };
	}

	private endTrial(measure: Measure, before: Measure, width: number): void {
		if (measure.isWorthItsWidthAfter(before)) this.tryNext(measure);
		else this.turnBackTo(width);
	}

	private turnBackTo(width: number): void {
		this.direction = -this.direction;
		this.hold(width);
	}

	private hold(width: number): void {
		this.phase = { name: 'holding', measures: 0 };
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
