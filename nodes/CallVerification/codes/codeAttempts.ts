interface Attempts {
	/** How many codes were tried. */
	readonly tried: number;
	/** Whether a code has matched. */
	readonly isUsed: boolean;
}

interface Entry extends Attempts {
	/** Milliseconds since the Unix epoch. */
	readonly keepUntil: number;
}

const NONE: Entry = { tried: 0, isUsed: false, keepUntil: 0 };

/**
 * Counts the attempts at each call's code, in this process only. Synchronous, so that checks that arrive together
 * cannot take the same attempt. Only compared codes count, so nobody can fill it with calls that do not exist.
 */
export class CodeAttempts {
	/** Least recently used first. */
	private readonly calls = new Map<string, Entry>();

	constructor(private readonly mostCalls = 50_000) {}

	get size(): number {
		return this.calls.size;
	}

	of(call: string): Attempts {
		return this.calls.get(call) ?? NONE;
	}

	/** Takes the next attempt and returns its number, starting at 1. */
	take(call: string, keepUntil: number, now: number): number {
		const before = this.calls.get(call) ?? NONE;
		if (before === NONE) this.makeRoom(now);
		const tried = before.tried + 1;
		this.put(call, { ...before, tried, keepUntil: Math.max(keepUntil, before.keepUntil) });
		return tried;
	}

	/** The code was not compared after all. */
	giveBack(call: string): void {
		this.change(call, ({ tried }) => ({ tried: Math.max(0, tried - 1) }));
	}

	/** Other processes have used attempts too: at least this many are gone. */
	raise(call: string, least: number): void {
		this.change(call, ({ tried }) => ({ tried: Math.max(tried, least) }));
	}

	/** The code was right, and works only once. */
	use(call: string): void {
		this.change(call, () => ({ isUsed: true }));
	}

	private change(call: string, changed: (entry: Entry) => Partial<Entry>): void {
		const entry = this.calls.get(call);
		if (entry !== undefined) this.put(call, { ...entry, ...changed(entry) });
	}

	private put(call: string, entry: Entry): void {
		this.calls.delete(call);
		this.calls.set(call, entry);
	}

	private makeRoom(now: number): void {
		for (const [call, { keepUntil }] of this.calls) {
			if (keepUntil > now) break;
			this.calls.delete(call);
		}
		if (this.calls.size < this.mostCalls) return;
		for (const [call, { keepUntil }] of this.calls) {
			if (keepUntil <= now) this.calls.delete(call);
		}
		const [oldest] = this.calls.keys();
		if (this.calls.size >= this.mostCalls && oldest !== undefined) this.calls.delete(oldest);
	}
}
