/** Keeps entries until they expire. When full, it forgets those first that expire soonest. */
export class ExpiringMap<Entry extends { readonly expiresAt: number }> extends Map<string, Entry> {
	/** Which to forget next, when full. The soonest to expire is the last. */
	private soonest: Array<[string, Entry]> = [];

	constructor(private readonly capacity = Infinity) {
		super();
	}

	/** `now` has the unit of `expiresAt`, here and in `add`. */
	find(id: string, now: number): Entry | undefined {
		const entry = this.get(id);
		return entry !== undefined && entry.expiresAt > now ? entry : undefined;
	}

	add(id: string, entry: Entry, now: number): void {
		this.delete(id);
		for (const [earlier, { expiresAt }] of this) {
			if (expiresAt > now) break;
			this.delete(earlier);
		}
		while (this.size >= this.capacity) {
			if (this.soonest.length === 0) this.soonest = this.soonestTenth();
			const next = this.soonest.pop();
			// Another entry may have replaced it, and expires later.
			if (next && this.get(next[0]) === next[1]) this.delete(next[0]);
		}
		this.set(id, entry);
	}

	/** Many at a time, because finding one takes as long. Numbers first, because those are sorted much faster. */
	private soonestTenth(): Array<[string, Entry]> {
		const expiries = Float64Array.from(this.values(), ({ expiresAt }) => expiresAt).sort();
		const latest = expiries[Math.floor(this.capacity / 10)] ?? Infinity;
		// Also what is not a number, or nothing might be left to forget.
		const soonest = [...this].filter(([, { expiresAt }]) => !(expiresAt > latest));
		return soonest.sort(([, one], [, other]) => one.expiresAt - other.expiresAt).reverse();
	}
}
