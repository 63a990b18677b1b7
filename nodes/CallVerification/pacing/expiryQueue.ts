export interface Expiring {
	readonly expiresAt: number;
	/** Position in the queue, maintained by the queue. */
	place: number;
}

/**
 * Finds the entry that expires first. A binary heap: adding or removing one of 100,000 entries moves at most 17 others.
 */
export class ExpiryQueue<Entry extends Expiring> {
	private readonly heap: Entry[] = [];

	get soonest(): Entry | undefined {
		return this.heap[0];
	}

	add(entry: Entry): void {
		this.rise(entry, this.heap.length);
	}

	/** The entry must be in the queue. */
	remove(entry: Entry): void {
		const last = this.heap.pop();
		if (last === undefined || last === entry) return;
		// The last entry takes the free place, then moves up or down to where it belongs.
		this.rise(last, entry.place);
		this.sink(last, last.place);
	}

	private rise(entry: Entry, from: number): void {
		let place = from;
		let parent = this.heap[parentOf(place)];
		while (parent !== undefined && entry.expiresAt < parent.expiresAt) {
			const free = parent.place;
			this.put(parent, place);
			place = free;
			parent = this.heap[parentOf(place)];
		}
		this.put(entry, place);
	}

	private sink(entry: Entry, from: number): void {
		let place = from;
		let child = this.soonerChildOf(place);
		while (child !== undefined && child.expiresAt < entry.expiresAt) {
			const free = child.place;
			this.put(child, place);
			place = free;
			child = this.soonerChildOf(place);
		}
		this.put(entry, place);
	}

	private soonerChildOf(place: number): Entry | undefined {
		const left = this.heap[2 * place + 1];
		const right = this.heap[2 * place + 2];
		if (left === undefined || right === undefined) return left;
		return right.expiresAt < left.expiresAt ? right : left;
	}

	private put(entry: Entry, place: number): void {
		this.heap[place] = entry;
		entry.place = place;
	}
}

function parentOf(place: number): number {
	return Math.floor((place - 1) / 2);
}
