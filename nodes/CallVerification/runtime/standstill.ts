import { SECOND_MS } from './quota';

/** Without a word from the service: long enough for a limit per second, and doubled for longer ones. */
const FIRST_PAUSE_MS = 250;
/** Whoever waits longer before asking for more notices too late that there is more. */
export const LONGEST_PAUSE_MS = 30_000;

/** What is remembered about a request in flight. */
export interface Ticket {
	readonly startedAt: number;
	/** When it started: how many had started before, were in flight with it, had ever gone well, and were allowed. */
	readonly index: number;
	readonly inFlight: number;
	readonly proven: number;
	readonly width: number;
}

/** From the first refusal until a probe is taken: nothing starts, all come home, then single requests are tried. */
export class Standstill {
	readonly refused: Ticket[] = [];
	probesRefused = 0;
	probe: Ticket | undefined;
	private readonly taken: Ticket[] = [];
	private wasTold = false;
	private pauseUntil = -Infinity;

	constructor(readonly since: number) {}

	/** So many in flight had gone well before: it must have been the number per time. */
	get isAboutRate(): boolean {
		return this.refused.some(({ inFlight, proven }) => inFlight <= proven);
	}

	/** Without a word of when to come back, most of what started after the first refused request was taken. */
	get looksStray(): boolean {
		const first = Math.min(...this.refused.map(({ index }) => index));
		const takenLater = this.taken.filter(({ index }) => index > first);
		return !this.wasTold && this.probesRefused === 0 && takenLater.length > this.refused.length;
	}

	/** Milliseconds until a probe may start. */
	wait(now: number, inFlight: number): number {
		if (this.probe !== undefined) return Infinity;
		// One that hangs must not hold up everything.
		const drainedAt = inFlight === 0 ? now : this.since + SECOND_MS;
		return Math.max(0, this.pauseUntil - now, drainedAt - now);
	}

	/** Gives whether this was the probe. */
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
			// “At once” is no reason to ask again and again.
			pauseMs ||= Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.probesRefused++);
		}
		this.pauseUntil = Math.max(this.pauseUntil, now + pauseMs);
	}
}
