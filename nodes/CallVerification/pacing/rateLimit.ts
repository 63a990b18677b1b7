import type { Clock } from './clock';
import { onStop } from './onStop';
import { StoppedError, throwIfStopped } from './stopped';

/** Waits for a turn; throws a StoppedError if the run is stopped first. */
export type TakeTurn = (stop?: AbortSignal) => Promise<void>;

/** Longer than the gap that any useful rate leaves. */
const KEPT_FOR_MS = 60 * 60 * 1_000;

/** The last turn of each account, shared by all runs of this process. */
export class SharedTurns {
	private readonly last = new WeakMap<Clock, Map<string, number>>();

	/** Reserves the next turn, at least `gapMs` after the one before, whoever has that. Returns its time. */
	reserve(account: string, clock: Clock, gapMs: number): number {
		const turns = this.on(clock);
		const turn = Math.max(clock.now(), (turns.get(account) ?? -Infinity) + gapMs);
		if (!turns.has(account)) forgetOld(turns, clock.now());
		turns.set(account, turn);
		return turn;
	}

	/** A machine that was busy starts late, and the next turn comes after that. */
	started(account: string, clock: Clock): void {
		const turns = this.on(clock);
		turns.set(account, Math.max(clock.now(), turns.get(account) ?? -Infinity));
	}

	/** How many accounts are remembered. */
	size(clock: Clock): number {
		return this.on(clock).size;
	}

	private on(clock: Clock): Map<string, number> {
		const turns = this.last.get(clock) ?? new Map<string, number>();
		this.last.set(clock, turns);
		return turns;
	}
}

/**
 * A token bucket with a single token: turns are evenly spaced, and unused time does not allow a burst. Take the turn
 * last, right before sending, because waiting after it could cause a burst.
 *
 * All runs of an account share the bucket. A run reserves one turn at a time, so a long list does not make others wait
 * for more than that.
 */
export function rateLimit(
	clock: Clock,
	perSecond: number,
	{ turns, account }: { turns: SharedTurns; account: string },
): TakeTurn {
	const gapMs = 1000 / perSecond;
	const waiting = new Set<() => void>();
	let isServing = false;

	const serve = async () => {
		isServing = true;
		while (waiting.size > 0) {
			const wait = turns.reserve(account, clock, gapMs) - clock.now();
			if (wait > 0) await clock.sleep(wait);
			turns.started(account, clock);
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

function forgetOld(turns: Map<string, number>, now: number): void {
	for (const [account, turn] of turns) {
		if (now - turn >= KEPT_FOR_MS) turns.delete(account);
	}
}
