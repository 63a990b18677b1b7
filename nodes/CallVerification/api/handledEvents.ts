import { createHash } from 'node:crypto';

import { type Expiring, ExpiryQueue } from '../runtime/expiryQueue';

const CAPACITY = 100_000;

/** What an event proves itself with, and what it says. */
export interface Claim {
	/** Counts once: a seal, or where there is none, the call itself. */
	readonly key: readonly string[];
	/** The same in every delivery of the same event. */
	readonly event: string;
	/** Unix time in seconds; from then on the key is free again. */
	readonly expiresAt: number;
}

export type ClaimResult = 'first' | 'repeated' | 'conflicting';

interface Handled extends Expiring {
	readonly key: string;
	readonly event: string;
}

/**
 * Remembers which events were handled, in this process only: n8n offers webhooks no storage that is exact
 * across processes. When it is full, what expires soonest is forgotten first, because that can be replayed
 * for the shortest time; an event is never refused for want of room.
 */
export class HandledEvents {
	private readonly handled = new Map<string, Handled>();

	private readonly byExpiry = new ExpiryQueue<Handled>();

	constructor(private readonly capacity = CAPACITY) {}

	/** How many events are held at the moment. */
	get size(): number {
		return this.handled.size;
	}

	/**
	 * Tells the first event with a key from the same again and from another. Synchronous on purpose: two
	 * requests that arrive together cannot both be first.
	 */
	claim({ key, event, expiresAt }: Claim, nowSeconds: number): ClaimResult {
		this.forgetExpired(nowSeconds);
		const entry = { key: fingerprint(key), event: fingerprint([event]), expiresAt, place: 0 };
		const earlier = this.handled.get(entry.key);
		if (earlier !== undefined) return earlier.event === entry.event ? 'repeated' : 'conflicting';

		if (this.size >= this.capacity) this.forget(this.byExpiry.soonest);
		this.handled.set(entry.key, entry);
		this.byExpiry.add(entry);
		return 'first';
	}

	/** Takes a claim back when the event could not be handed on, so that the next try counts. */
	release({ key }: Pick<Claim, 'key'>): void {
		this.forget(this.handled.get(fingerprint(key)));
	}

	private forgetExpired(nowSeconds: number): void {
		let soonest = this.byExpiry.soonest;
		while (soonest !== undefined && soonest.expiresAt <= nowSeconds) {
			this.forget(soonest);
			soonest = this.byExpiry.soonest;
		}
	}

	private forget(entry: Handled | undefined): void {
		if (entry === undefined) return;
		this.handled.delete(entry.key);
		this.byExpiry.remove(entry);
	}
}

/*
 * The sender chooses the length of an identifier, and a piece of a parsed body can keep the whole body
 * in memory. As JSON, which escapes half characters, so that texts that UTF-8 cannot tell apart stay different.
 */
function fingerprint(texts: readonly string[]): string {
	return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}
