import type { Flight } from './measure';

/** Without a word from the service: long enough for a limit per second, and doubled for longer ones. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** Requests under way are waited for, but one that hangs must not hold up everything. */
const LONGEST_DRAIN_MS = 1000;

/** A request under way, with the most in flight that had gone well before it started. */
export interface Ticket extends Flight {
	readonly proven: number;
	/** How many had started before it since the last standstill. */
	readonly startedBefore: number;
}

/**
 * From the first refusal until the service takes requests again. Nothing starts; what is under way comes home; then a
 * single request is sent as a probe, again and again after growing pauses, until one is taken.
 */
export class Standstill {
	readonly refusedStarts: number[] = [];
	/** The fewest that were in flight when a request was refused. */
	fewestInFlight = Infinity;
	/** How many had started since the standstill before, until one was refused. */
	startedBefore = Infinity;
	/** So many in flight had been all right before: it must have been the number per time. */
	isAboutRate = false;
	/** The service has said how long to wait. */
	wasTold = false;
	private probe: Ticket | undefined;
	private probesRefused = 0;
	private pauseUntil: number;

	constructor(readonly since: number) {
		this.pauseUntil = since;
	}

	waitToProbe(now: number, inFlight: number): number {
		if (this.probe !== undefined) return Infinity;
		const drainedAt = inFlight === 0 ? now : this.since + LONGEST_DRAIN_MS;
		return Math.max(0, this.pauseUntil - now, drainedAt - now);
	}

	probeStarted(probe: Ticket): void {
		this.probe = probe;
	}

	isProbe(ticket: Ticket): boolean {
		return this.probe === ticket;
	}

	refused(ticket: Ticket, now: number, retryAfterMs: number | undefined): void {
		this.refusedStarts.push(ticket.startedAt);
		this.fewestInFlight = Math.min(this.fewestInFlight, ticket.inFlight);
		this.startedBefore = Math.min(this.startedBefore, ticket.startedBefore);
		if (ticket.inFlight <= ticket.proven) this.isAboutRate = true;
		// “At once” says nothing about how long, and is no reason to ask again and again.
		if ((retryAfterMs ?? 0) > 0) this.wasTold = true;
		this.pauseUntil = Math.max(this.pauseUntil, now + (retryAfterMs || this.ownPause(ticket)));
		if (!this.isProbe(ticket)) return;
		this.probe = undefined;
		this.probesRefused++;
	}

	private ownPause(ticket: Ticket): number {
		// The first probe follows as soon as all are home: if it is taken, there were too many in flight at once.
		if (!this.isProbe(ticket)) return 0;
		return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.probesRefused);
	}
}
