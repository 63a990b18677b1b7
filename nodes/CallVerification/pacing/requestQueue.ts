import type { AnnouncedLimit } from './quota';
import type { Clock } from './clock';
import { onStop, StoppedError, throwIfStopped } from './stop';

/** What a response, or the lack of one, says about the requests to come. */
export type Outcome = (
	| { kind: 'ok' }
	/** The service refused for a reason that holds for every other request as well. */
	| { kind: 'refusesAll'; error: unknown }
	/** The service refused because of too many requests (429). */
	| { kind: 'rateLimited'; error?: unknown; retryAfterMs?: number }
	/** The service failed in a way that load can cause (5xx, timeout). */
	| { kind: 'overloaded'; error?: unknown; retryAfterMs?: number }
) & {
	announced?: AnnouncedLimit;
};

/** Decides when a request may start. Applies to every request, including retries. */
export interface Limit {
	/**
	 * Waits for a slot; urgent requests go first. Throws a StoppedError if the run is stopped first. After a refusal
	 * all requests wait here, so none has to wait on its own.
	 */
	enter(stop?: AbortSignal, isUrgent?: boolean): Promise<Slot>;
}

/** The right to have one request in flight. */
export interface Slot {
	/** Returns the slot, once, with the outcome. */
	leave(outcome: Outcome): void;
}

/** Each start takes n8n a few milliseconds of CPU; this many in a row are not noticeable. */
const STARTS_AT_A_TIME = 8;

/**
 * A queue in front of the service: urgent requests first, then in order, as fast as the policy allows.
 * `Ticket` is what the policy remembers about a request until the response.
 */
export abstract class RequestQueue<Ticket> implements Limit {
	private readonly urgent = new Set<() => void>();
	private readonly waiting = new Set<() => void>();
	private inFlight = 0;
	private wakesAt = Infinity;

	constructor(protected readonly clock: Clock) {}

	/** Milliseconds until the next request may start; 0 is now, Infinity is "not before another response". */
	protected abstract wait(inFlight: number): number;
	/** `inFlight` counts the request that has just started. */
	protected abstract started(inFlight: number): Ticket;
	/** `inFlight` still counts the request that has ended. */
	protected abstract answered(ticket: Ticket, outcome: Outcome, inFlight: number): void;

	get isEmpty(): boolean {
		return this.inFlight === 0;
	}

	async enter(stop?: AbortSignal, isUrgent = false): Promise<Slot> {
		throwIfStopped(stop);
		const queue = isUrgent ? this.urgent : this.waiting;
		return await new Promise<Slot>((resolve, reject) => {
			const start = () => {
				forget();
				queue.delete(start);
				resolve(this.openSlot());
			};
			const forget = onStop(stop, () => {
				queue.delete(start);
				reject(new StoppedError());
			});
			queue.add(start);
			this.startWaiting();
		});
	}

	private openSlot(): Slot {
		this.inFlight++;
		const ticket = this.started(this.inFlight);
		return {
			leave: (outcome) => {
				this.answered(ticket, outcome, this.inFlight);
				this.inFlight--;
				// A refused request may come back as an urgent one in a moment.
				if (outcome.kind === 'rateLimited') this.wakeIn(0);
				else this.startWaiting();
			},
		};
	}

	private startWaiting(): void {
		for (let started = 0; ; started++) {
			const [start] = this.urgent.size > 0 ? this.urgent : this.waiting;
			if (start === undefined) return;
			if (started === STARTS_AT_A_TIME) return this.wakeIn(0);
			const wait = this.wait(this.inFlight);
			if (wait > 0) return this.wakeIn(wait);
			start();
		}
	}

	private wakeIn(milliseconds: number): void {
		const at = this.clock.now() + milliseconds;
		// A sleep cannot be cancelled, so no later one is started: the earlier one asks the policy again.
		if (at >= this.wakesAt) return;
		this.wakesAt = at;
		void this.clock.sleep(milliseconds).then(() => {
			if (this.wakesAt === at) this.wakesAt = Infinity;
			this.startWaiting();
		});
	}
}
