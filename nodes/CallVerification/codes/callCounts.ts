import { ExpiringMap } from '../pacing/expiringMap';

interface MostCalls {
	readonly most: number;
	/** In milliseconds. */
	readonly period: { readonly length: number };
}

interface StartedCall {
	readonly startedAt: number;
	/** Starts that made the call, or still may. */
	starts: number;
}

/** Of nodes, limit keys and numbers, in one process. A start that is repeated with its key counts once. */
export class CallCounts<Key> extends ExpiringMap<{
	readonly calls: Map<Key, StartedCall>;
	/** Strangers may choose limit keys and numbers, so none is kept for longer than its period after its last call. */
	readonly expiresAt: number;
}> {
	/** False if there are as many others as allowed. Synchronous, so that calls that start together cannot exceed it. */
	claim(counter: string, key: Key, { most, period }: MostCalls, now: number): boolean {
		const calls = this.get(counter)?.calls ?? new Map<Key, StartedCall>();
		for (const [earlier, { startedAt }] of calls) {
			if (now - startedAt < period.length) break;
			calls.delete(earlier);
		}
		const call = calls.get(key) ?? { startedAt: now, starts: 0 };
		if (call.starts === 0 && calls.size >= most) return false;
		call.starts++;
		calls.set(key, call);
		this.add(counter, { calls, expiresAt: now + period.length }, now);
		return true;
	}

	/** This start did not make the call; another one with the same key may have. */
	release(counter: string, key: Key): void {
		const calls = this.get(counter)?.calls;
		const call = calls?.get(key);
		if (!calls || !call) return;
		call.starts--;
		if (call.starts > 0) return;
		calls.delete(key);
		if (calls.size === 0) this.delete(counter);
	}
}
