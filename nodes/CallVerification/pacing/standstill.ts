import { SECOND_MS } from './quota';

/** If the service does not say how long: enough for a limit per second, and doubled for longer ones. */
const FIRST_PAUSE_MS = 250;
/** With a longer wait, we would notice too late that the service allows more. */
export const LONGEST_PAUSE_MS = 30_000;

/** What is remembered about a request in flight. */
export interface Ticket {
	readonly startedAt: number;
	/** At its start: how many had started before, were in flight with it, had ever gone well, and were allowed. */
	readonly index: number;
	readonly inFlight: number;
	readonly proven: number;
	readonly width: number;
	/** By how many the requests up to this one exceeded what the service said it would take. */
	readonly excess: number;
}

/** From the first refusal until a probe is taken: nothing starts, all in flight end, then single requests probe. */
export class Standstill {
	readonly refused: Ticket[] = [];
	probesRefused = 0;
	probe: Ticket | undefined;
	private readonly taken: Ticket[] = [];
	private wasTold = false;
	private pauseUntil = -Infinity;

	constructor(readonly since: number) {}

	/** That many in flight had gone well before, so it must have been the rate. */
	get isAboutRate(): boolean {
		return this.refused.some(({ inFlight, proven }) => inFlight <= proven);
	}

	/** Without a Retry-After, over two thirds of the requests since the first refused one were taken. */
	get looksStray(): boolean {
		const first = Math.min(...this.refused.map(({ index }) => index));
		const takenLater = this.taken.filter(({ index }) => index > first);
		return !this.wasTold && this.probesRefused === 0 && takenLater.length > 2 * this.refused.length;
	}

	/** Milliseconds until a probe may start. */
	wait(now: number, inFlight: number): number {
		if (this.probe !== undefined) return Infinity;
		// A request that hangs must not hold up everything.
		const drainedAt = inFlight === 0 ? now : this.since + SECOND_MS;
		return Math.max(0, this.pauseUntil - now, drainedAt - now);
	}

	/** Returns whether this was the probe. */
	wasTaken(ticket: Ticket): boolean {
		this.taken.push(ticket);
		return ticket === this.probe;
	}

	wasRefused(ticket: Ticket, now: number, retryAfterMs = 0): void {
		this.refused.push(ticket);
		this.wasTold ||= retryAfterMs > 0;
		let pauseMs = retryAfterMs;
		if (ticket === this.probe) {
			this.probe = undefined;
			// A Retry-After of 0 is no reason to ask again and again.
			pauseMs ||= Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.probesRefused++);
		}
		this.pauseUntil = Math.max(this.pauseUntil, now + pauseMs);
	}
}
