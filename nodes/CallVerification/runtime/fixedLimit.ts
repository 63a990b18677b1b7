import { type LearningLimit, learningLimit } from './adaptiveLimit';
import type { Clock } from './clock';
import type { Width } from './inFlightWidth';
import type { Flight } from './measure';

/** The user's own limit of requests in flight. What the service allows per time is still learned. */
export function fixedLimit(clock: Clock, width: number): LearningLimit {
	return learningLimit(clock, new FixedWidth(width));
}

/** Fixed, but narrows if the service accepts fewer at once. */
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
