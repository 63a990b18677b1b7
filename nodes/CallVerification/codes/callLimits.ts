const HOUR = 60 * 60 * 1_000;

interface StartedCall {
	/** Milliseconds. */
	readonly startedAt: number;
	/** Starts that made the call, or still may. */
	starts: number;
}

/**
 * Counts the calls of the last hour, in this process only, for each node and for each of its limit keys. Calls are told
 * apart by the idempotency key: a repeated start makes no second call, so it does not count again.
 */
export class CallsPerHour {
	/** Least recently used first. */
	private readonly counters = new Map<string, Map<unknown, StartedCall>>();

	get size(): number {
		return this.counters.size;
	}

	/** False if the limit is reached. Synchronous, so that calls that start together cannot exceed it. */
	claim(counter: string, key: unknown, most: number, now: number): boolean {
		const calls = this.counters.get(counter) ?? new Map<unknown, StartedCall>();
		this.counters.delete(counter);
		this.forgetOld(now);
		this.counters.set(counter, calls);
		dropOld(calls, now);
		const known = calls.get(key);
		if (known) known.starts++;
		else if (calls.size >= most) return false;
		else calls.set(key, { startedAt: now, starts: 1 });
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

function dropOld(calls: Map<unknown, StartedCall>, now: number): void {
	for (const [key, { startedAt }] of calls) {
		if (now - startedAt < HOUR) break;
		calls.delete(key);
	}
}

/**
 * The idempotency key of the last call to each number, in this process only. Whoever starts another call too soon gets
 * that key, for which the service returns the call instead of making a new one.
 */
export class Cooldowns {
	/** Oldest first. */
	private readonly lastCalls = new Map<string, StartedCall & { readonly key: string }>();

	constructor(private readonly mostNumbers = 50_000) {}

	get size(): number {
		return this.lastCalls.size;
	}

	/** The key to use: that of the last call, or a new one. Synchronous, so that starts that come together share it. */
	claim(number: string, cooldown: number, now: number, newKey: () => string): string {
		const last = this.lastCalls.get(number);
		// Absolute, because a clock that was set back must not keep a number from being called.
		if (last !== undefined && Math.abs(now - last.startedAt) < cooldown) {
			last.starts++;
			return last.key;
		}
		const key = newKey();
		this.lastCalls.delete(number);
		const [oldest] = this.lastCalls.keys();
		if (this.size >= this.mostNumbers && oldest !== undefined) this.lastCalls.delete(oldest);
		this.lastCalls.set(number, { key, startedAt: now, starts: 1 });
		return key;
	}

	/** This start did not make the call; another one with the same key may have. */
	release(number: string, key: string): void {
		const last = this.lastCalls.get(number);
		if (last?.key === key && --last.starts <= 0) this.lastCalls.delete(number);
	}
}
