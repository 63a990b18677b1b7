interface LastCall {
	readonly key: string;
	/** Milliseconds since the Unix epoch. */
	readonly startedAt: number;
	/** Starts that made the call, or still may. */
	starts: number;
}

/**
 * The idempotency key of the last call to each number, in this process only and up to a fixed number of calls. Whoever
 * starts another call too soon gets that key, for which the service returns the call instead of making a new one.
 */
export class Cooldowns {
	/** Oldest first. */
	private readonly lastCalls = new Map<string, LastCall>();

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
		this.makeRoom();
		this.lastCalls.set(number, { key, startedAt: now, starts: 1 });
		return key;
	}

	/** This start did not make the call; another one with the same key may have. */
	release(number: string, key: string): void {
		const last = this.lastCalls.get(number);
		if (last?.key === key && --last.starts <= 0) this.lastCalls.delete(number);
	}

	private makeRoom(): void {
		const [oldest] = this.lastCalls.keys();
		if (this.lastCalls.size >= this.mostNumbers && oldest !== undefined) {
			this.lastCalls.delete(oldest);
		}
	}
}
