import type { Clock } from './clock';
import { Gate, type GatePolicy } from './gate';
import type { Limit, Pushback } from './limit';

/** The user's own number of requests at once: obeyed exactly, whatever the service does. */
export function fixedLimit(clock: Clock, width: number): Limit {
	return new Gate(clock, new FixedPolicy(clock, width));
}

class FixedPolicy implements GatePolicy<undefined> {
	readonly pausesForAll = false;
	private pauseUntil = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly width: number,
	) {}

	wait(inFlight: number): number {
		if (inFlight >= this.width) return Infinity;
		return Math.max(0, this.pauseUntil - this.clock.now());
	}

	started(): undefined {
		return undefined;
	}

	answered(_ticket: undefined, pushback: Pushback): void {
		if (pushback.kind !== 'throttled') return;
		// What the service tells one request holds for all of them.
		const until = this.clock.now() + (pushback.retryAfterMs ?? 0);
		this.pauseUntil = Math.max(this.pauseUntil, until);
	}
}
