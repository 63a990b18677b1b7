import { createHash } from 'node:crypto';

import { type Expiring, ExpiryQueue } from '../pacing/expiryQueue';

const CAPACITY = 100_000;

/** The proof of an event, and its content. */
export interface Claim {
	/** Accepted once: a seal, or the call itself if there is no seal. */
	readonly key: readonly string[];
	/** The same in every delivery of the same event. */
	readonly event: string;
	/** Unix time in seconds. After that, the key can be used again. */
	readonly expiresAt: number;
}

export type ClaimResult = 'first' | 'repeated' | 'conflicting';

interface Handled extends Expiring {
	readonly key: string;
	readonly event: string;
}

/**
 * Remembers handled events, in this process only: n8n offers webhooks no storage that is exact across processes. When
 * full, it forgets the event that expires first, because that one can be replayed for the shortest time. An event is
 * never refused for lack of space.
 */
export class HandledEvents {
	private readonly handled = new Map<string, Handled>();

	private readonly byExpiry = new ExpiryQueue<Handled>();

	constructor(private readonly capacity = CAPACITY) {}

	get size(): number {
		return this.handled.size;
	}

	/**
	 * Tells the first event with a key from a repetition and from a different event. Synchronous on purpose: two
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

	/** Releases a claim if the event could not be passed on, so that the next attempt counts. */
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
 * Hashed, because the sender chooses the length of an ID, and part of a parsed body can keep the whole body in memory.
 * JSON escapes unpaired surrogates, so that texts that look the same in UTF-8 stay different.
 */
function fingerprint(texts: readonly string[]): string {
	return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}
