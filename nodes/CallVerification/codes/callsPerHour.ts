const HOUR = 60 * 60 * 1_000;

interface Claim {
	readonly claimedAt: number;
	/** Starts that made the call, or still may. */
	starts: number;
}

/**
 * How many calls were started within the last hour, in this process only, by any number of counters: one for each node,
 * and one for each of its limit keys. Calls are told apart by the idempotency key: a repeated start makes no second
 * call, so it does not count again.
 */
export class CallsPerHour {
	/** Least recently used first. */
	private readonly counters = new Map<string, Map<unknown, Claim>>();

	get size(): number {
		return this.counters.size;
	}

	/** False if the limit is reached. Synchronous, so that calls that start together cannot exceed it. */
	claim(counter: string, key: unknown, most: number, now: number): boolean {
		const calls = this.counters.get(counter) ?? new Map<unknown, Claim>();
		this.counters.delete(counter);
		this.forgetOld(now);
		this.counters.set(counter, calls);
		dropOld(calls, now);
		const known = calls.get(key);
		if (known) known.starts++;
		else if (calls.size >= most) return false;
		else calls.set(key, { claimedAt: now, starts: 1 });
		return true;
	}

	/** This start did not make the call; another one with the same key may have. */
	release(counter: string, key: unknown): void {
		const calls = this.counters.get(counter);
		const call = calls?.get(key);
		if (!calls || !call || --call.starts > 0) return;
		calls.delete(key);
		if (calls.size === 0) this.counters.delete(counter);
	}

	/** Strangers may choose limit keys, so those without a call in the last hour must not pile up. */
	private forgetOld(now: number): void {
		for (const [counter, calls] of this.counters) {
			dropOld(calls, now);
			if (calls.size > 0) break;
			this.counters.delete(counter);
		}
	}
}

function dropOld(calls: Map<unknown, Claim>, now: number): void {
	for (const [call, { claimedAt }] of calls) {
		if (now - claimedAt < HOUR) break;
		calls.delete(call);
	}
}
