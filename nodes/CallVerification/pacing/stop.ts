import type { Clock } from './clock';

/** Work that never started, because of a stop, a deadline or because the run gave up: neither done nor failed. */
export class StoppedError extends Error {
	constructor() {
		super('The run was stopped before this could start');
		this.name = 'StoppedError';
	}
}

export function throwIfStopped(stop: AbortSignal | undefined): void {
	if (stop?.aborted) throw new StoppedError();
}

const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal aborts, unless the returned function is called first. All callbacks share one listener,
 * because Node.js reports more than ten listeners as a leak.
 */
export function onStop(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (signal === undefined) return () => {};

	const all = callbacks.get(signal) ?? callbacksFor(signal);
	all.add(callback);
	return () => all.delete(callback);
}

/** Not in `onStop`, whose first callback would stay in memory with the listener: a timer outlives its work. */
function callbacksFor(signal: AbortSignal): Set<() => void> {
	const all = new Set<() => void>();
	callbacks.set(signal, all);
	signal.addEventListener('abort', () => all.forEach((call) => call()));
	return all;
}

/** Aborts with the first of several signals, until forgotten. AbortSignal.any would stay with each of them forever. */
export function anyStop(...signals: ReadonlyArray<AbortSignal | undefined>): {
	stop: AbortSignal;
	forget: () => void;
} {
	const stopping = new AbortController();
	const abort = () => stopping.abort();
	if (signals.some((signal) => signal?.aborted)) abort();
	const forgetEach = signals.map((signal) => onStop(signal, abort));
	return { stop: stopping.signal, forget: () => forgetEach.forEach((forget) => forget()) };
}

/** Sleeps, but wakes up when the run is stopped. The caller checks the signal to see why. */
export async function sleepUntilStopped(
	clock: Clock,
	milliseconds: number,
	stop: AbortSignal | undefined,
): Promise<void> {
	if (stop?.aborted) return;
	await new Promise<void>((resolve, reject) => {
		const forget = onStop(stop, resolve);
		clock.sleep(milliseconds).then(resolve, reject).finally(forget);
	});
}

export class TimeoutError extends Error {
	constructor(limitMs: number) {
		super(`Not done within ${limitMs / 1000} s`);
		this.name = 'TimeoutError';
	}
}

/**
 * Returns the result of `work`, or throws a TimeoutError if it takes longer. The work is then told to stop, and its
 * late result or failure is ignored.
 */
export type WithTimeout = <T>(
	limitMs: number,
	work: (abort: AbortSignal) => Promise<T>,
) => Promise<T>;

/** Work that starts within this time shares a timer, which runs this much longer, so that nothing gets less. */
const MOMENT_MS = 100;

/** A timer each would be expensive: it lives until it fires, long after the work is done. */
export function timeouts(clock: Pick<Clock, 'now' | 'timer'>): WithTimeout {
	let shared: { limitMs: number; until: number; timer: AbortSignal } | undefined;

	const timerFor = (limitMs: number): AbortSignal => {
		const now = clock.now();
		if (shared?.limitMs !== limitMs || now >= shared.until) {
			shared = { limitMs, until: now + MOMENT_MS, timer: clock.timer(limitMs + MOMENT_MS) };
		}
		return shared.timer;
	};

	return (limitMs, work) =>
		new Promise((resolve, reject) => {
			const aborting = new AbortController();
			const forget = onStop(timerFor(limitMs), () => {
				reject(new TimeoutError(limitMs));
				aborting.abort();
			});
			// Both outcomes are handled here, so a late failure is never an unhandled rejection.
			work(aborting.signal).finally(forget).then(resolve, reject);
		});
}
