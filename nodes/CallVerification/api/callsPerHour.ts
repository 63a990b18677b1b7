const HOUR = 60 * 60 * 1_000;

/**
 * How many calls each node has started within the last hour, in this process only. Keyed by the idempotency key: a
 * start that n8n repeats makes no second call, so it does not count again.
 */
export class CallsPerHour {
	private readonly nodes = new Map<string, Map<string, number>>();

	/** False for the call beyond `most`. Synchronous, so that calls that start together cannot pass the limit. */
	claim(node: string, key: string, most: number, now: number): boolean {
		const calls = this.nodes.get(node) ?? new Map<string, number>();
		this.nodes.set(node, calls);
		for (const [call, startedAt] of calls) {
			if (now - startedAt < HOUR) break;
			calls.delete(call);
		}
		if (calls.has(key)) return true;
		if (calls.size >= most) return false;
		calls.set(key, now);
		return true;
	}

	/** The call was not made. */
	release(node: string, key: string): void {
		const calls = this.nodes.get(node);
		calls?.delete(key);
		if (calls?.size === 0) this.nodes.delete(node);
	}
}
