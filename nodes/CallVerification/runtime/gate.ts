import type { Clock } from './clock';
import type { Limit, Pushback, Slot } from './limit';
import { onStop } from './onStop';
import { StoppedError, throwIfStopped } from './stopped';

/** Each start costs n8n some milliseconds of computing; so many of them in one go are still no noticeable pause. */
const STARTS_AT_A_TIME = 8;

/**
 * A queue in front of the service: the urgent first, then first come, first served, as fast as a policy allows.
 * `Ticket` is what the policy wants to remember about a request until the answer comes.
 */
export abstract class Gate<Ticket> implements Limit {
	private readonly urgent = new Set<() => void>();
	private readonly waiting = new Set<() => void>();
	private inFlight = 0;
	private wakesAt = Infinity;

	constructor(protected readonly clock: Clock) {}

	/** Milliseconds until the next request may start; 0 is now, Infinity is "not before another answer". */
	protected abstract wait(inFlight: number): number;
	/** `inFlight` counts the request that has just started. */
	protected abstract started(inFlight: number): Ticket;
	/** `inFlight` still counts the request that has been answered. */
	protected abstract answered(ticket: Ticket, pushback: Pushback, inFlight: number): void;

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
			leave: (pushback) => {
				this.answered(ticket, pushback, this.inFlight);
				this.inFlight--;
				// Whoever was refused comes back in a moment, and may be urgent then.
				if (pushback.kind === 'throttled') this.wakeIn(0);
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
		// A sleep cannot be called off, so a later one is not begun: the earlier asks the policy again.
		if (at >= this.wakesAt) return;
		this.wakesAt = at;
		void this.clock.sleep(milliseconds).then(() => {
			if (this.wakesAt === at) this.wakesAt = Infinity;
			this.startWaiting();
		});
	}
}
