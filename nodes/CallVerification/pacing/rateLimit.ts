import type { Clock } from './clock';
import { onStop, StoppedError, throwIfStopped } from './stop';

/** Waits until a request may start; throws a StoppedError if the run is stopped first. */
export type RateLimit = (stop?: AbortSignal) => Promise<void>;

/** Longer than the gap that any useful rate leaves. */
const KEPT_FOR_MS = 60 * 60 * 1_000;

/** When each account's last request started, in any run of this process. */
export class LastStarts {
	private readonly starts = new WeakMap<Clock, Map<string, number>>();

	/** Reserves the next start, at least `gapMs` after the one before, whoever has that. Returns its time. */
	reserve(account: string, clock: Clock, gapMs: number): number {
		const starts = this.on(clock);
		const start = Math.max(clock.now(), (starts.get(account) ?? -Infinity) + gapMs);
		if (!starts.has(account)) forgetOld(starts, clock.now());
		starts.set(account, start);
		return start;
	}

	/** A machine that was busy starts late, and the next start comes after that. */
	started(account: string, clock: Clock): void {
		const starts = this.on(clock);
		starts.set(account, Math.max(clock.now(), starts.get(account) ?? -Infinity));
	}

	/** How many accounts are remembered. */
	size(clock: Clock): number {
		return this.on(clock).size;
	}

	private on(clock: Clock): Map<string, number> {
		const starts = this.starts.get(clock) ?? new Map<string, number>();
		this.starts.set(clock, starts);
		return starts;
	}
}

/**
 * A token bucket with a single token: starts are evenly spaced, and unused time does not allow a burst. Wait for it
 * last, right before sending, because waiting after it could cause a burst.
 *
 * All runs of an account share the bucket. A run reserves one start at a time, so a long list does not make others
 * wait for more than that.
 */
export function rateLimit(
	clock: Clock,
	perSecond: number,
	{ lastStarts, account }: { lastStarts: LastStarts; account: string },
): RateLimit {
	const gapMs = 1000 / perSecond;
	const waiting = new Set<() => void>();
	let isServing = false;

	const serve = async () => {
		isServing = true;
		while (waiting.size > 0) {
			const wait = lastStarts.reserve(account, clock, gapMs) - clock.now();
			if (wait > 0) await clock.sleep(wait);
			lastStarts.started(account, clock);
			const [start] = waiting;
			start?.();
		}
		isServing = false;
	};

	return async (stop) => {
		throwIfStopped(stop);
		await new Promise<void>((resolve, reject) => {
			const start = () => {
				forget();
				waiting.delete(start);
				resolve();
			};
			const forget = onStop(stop, () => {
				waiting.delete(start);
				reject(new StoppedError());
			});
			waiting.add(start);
			if (!isServing) void serve();
		});
	};
}

function forgetOld(starts: Map<string, number>, now: number): void {
	for (const [account, start] of starts) {
		if (now - start >= KEPT_FOR_MS) starts.delete(account);
	}
}
