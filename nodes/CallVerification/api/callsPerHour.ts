const HOUR = 60 * 60 * 1_000;

interface Claim {
	readonly claimedAt: number;
	/** Starts that made the call, or still may. */
	starts: number;
}

/**
 * How many calls each node started within the last hour, in this process only. Keyed by the idempotency key: a repeated
 * start makes no second call, so it does not count again.
 */
export class CallsPerHour {
	private readonly nodes = new Map<string, Map<unknown, Claim>>();

	/** False if the limit is reached. Synchronous, so that calls that start together cannot exceed it. */
	claim(node: string, key: unknown, most: number, now: number): boolean {
		const calls = this.nodes.get(node) ?? new Map<unknown, Claim>();
		this.nodes.set(node, calls);
		for (const [call, { claimedAt }] of calls) {
			if (now - claimedAt < HOUR) break;
			calls.delete(call);
		}
		const known = calls.get(key);
		if (known) known.starts++;
		else if (calls.size >= most) return false;
		else calls.set(key, { claimedAt: now, starts: 1 });
		return true;
	}

	/** This start did not make the call; another one with the same key may have. */
	release(node: string, key: unknown): void {
		const calls = this.nodes.get(node);
		const call = calls?.get(key);
		if (!calls || !call || --call.starts > 0) return;
		calls.delete(key);
		if (calls.size === 0) this.nodes.delete(node);
	}
}
