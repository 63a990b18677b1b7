import { createHash } from 'node:crypto';

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

interface Handled {
	readonly event: string;
	readonly expiresAt: number;
}

/**
 * Remembers handled events, in this process only: n8n offers webhooks no storage that is exact across processes. When
 * full, it forgets those first that expire soonest, because they can be replayed for the shortest time.
 */
export class HandledEvents {
	/** In the order of their arrival. */
	private readonly handled = new Map<string, Handled>();

	/** Which to forget next, when full. The soonest to expire is the last. */
	private soonest: string[] = [];

	constructor(private readonly capacity = CAPACITY) {}

	get size(): number {
		return this.handled.size;
	}

	/** Synchronous, so that two requests that arrive together cannot both be first. */
	claim({ key, event, expiresAt }: Claim, nowSeconds: number): ClaimResult {
		const id = fingerprint(key);
		const content = fingerprint([event]);
		const earlier = this.handled.get(id);
		if (earlier !== undefined && earlier.expiresAt > nowSeconds) {
			return earlier.event === content ? 'repeated' : 'conflicting';
		}
		this.handled.delete(id);
		this.makeRoom(nowSeconds);
		this.handled.set(id, { event: content, expiresAt });
		return 'first';
	}

	/** Releases a claim if the event could not be passed on, so that the next attempt counts. */
	release({ key }: Pick<Claim, 'key'>): void {
		this.handled.delete(fingerprint(key));
	}

	private makeRoom(nowSeconds: number): void {
		for (const [id, { expiresAt }] of this.handled) {
			if (expiresAt > nowSeconds) break;
			this.handled.delete(id);
		}
		while (this.size >= this.capacity) {
			if (this.soonest.length === 0) this.soonest = this.soonestTenth();
			this.handled.delete(this.soonest.pop() ?? '');
		}
	}

	/** Many at a time, because finding one takes as long. Numbers first, because those are sorted much faster. */
	private soonestTenth(): string[] {
		const expiries = Float64Array.from(this.handled.values(), ({ expiresAt }) => expiresAt).sort();
		const latest = expiries[Math.floor(this.capacity / 10)] ?? Infinity;
		return [...this.handled]
			.filter(([, { expiresAt }]) => expiresAt <= latest)
			.sort(([, a], [, b]) => b.expiresAt - a.expiresAt)
			.map(([id]) => id);
	}
}

/*
 * Hashed, because the sender chooses the length of an ID, and part of a parsed body can keep the whole body in memory.
 * JSON escapes unpaired surrogates, so that texts that look the same in UTF-8 stay different.
 */
function fingerprint(texts: readonly string[]): string {
	return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}
