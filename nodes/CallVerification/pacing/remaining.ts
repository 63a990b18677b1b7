import type { AnnouncedLimit } from './announcedLimit';
import type { Ticket } from './standstill';

/**
 * Holds back what exceeds the number of requests that the service said it would still take. One request tests that. If
 * it is taken, the service has a new count, or was wrong, so twice as many may follow.
 */
export class Remaining {
	private remaining = Infinity;
	/** The latest request whose response said so. */
	private heardBy = -1;
	private excessAllowed = 1;

	/** How many more requests have started than the service said it would take, up to this one. */
	excess(index: number): number {
		return index - this.heardBy - this.remaining;
	}

	/** Whether another request may start. Those that are no longer in flight have done no harm. */
	allows(index: number, inFlight: number): boolean {
		const excess = Math.min(this.excess(index), inFlight + 1 - this.remaining);
		return excess <= this.excessAllowed;
	}

	/** Whether everything went as announced until this request, which was the first to exceed it. */
	isTestedBy({ excess }: Ticket): boolean {
		return excess === 1 && this.excessAllowed === 1;
	}

	answered({ index, excess }: Ticket, isRefused: boolean, announced?: AnnouncedLimit): void {
		// Some had started before the service said anything.
		const taken = Math.max(excess, this.excess(index));
		this.excessAllowed = isRefused ? 1 : Math.max(this.excessAllowed, 2 * taken);
		if (announced === undefined || index < this.heardBy) return;
		this.heardBy = index;
		this.remaining = announced.remaining;
	}

	/** Called between runs, because it is soon out of date. */
	forget(): void {
		this.remaining = Infinity;
	}
}
