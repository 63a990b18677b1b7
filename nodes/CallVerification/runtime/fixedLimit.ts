import { type LearningLimit, learningLimit } from './adaptiveLimit';
import type { Clock } from './clock';
import type { Width } from './inFlightWidth';
import type { Flight } from './measure';

/** The user's own number of requests at once, and what the service allows in a time: that is learned all the same. */
export function fixedLimit(clock: Clock, width: number): LearningLimit {
	return learningLimit(clock, new FixedWidth(width));
}

/** Neither grows nor shrinks by itself. Only a service that takes fewer at once narrows it. */
class FixedWidth implements Width {
	private highest: number;

	constructor(private readonly wanted: number) {
		this.highest = wanted;
	}

	get width(): number {
		return this.highest;
	}

	get ceiling(): number {
		return this.highest;
	}

	set ceiling(ceiling: number) {
		this.highest = Math.min(this.wanted, Math.max(1, ceiling));
	}

	started(inFlight: number, now: number): Flight {
		return { startedAt: now, inFlight, generation: 0 };
	}

	answered(): void {}

	narrowTo(): void {}
}
