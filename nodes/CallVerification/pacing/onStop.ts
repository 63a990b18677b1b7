const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal aborts, unless the returned function is called first. All callbacks share one listener,
 * because Node.js reports more than ten listeners as a leak.
 */
export function onStop(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (signal === undefined) return () => {};

	const known = callbacks.get(signal);
	const all = known ?? new Set();
	all.add(callback);
	if (known === undefined) {
		callbacks.set(signal, all);
		signal.addEventListener('abort', () => all.forEach((call) => call()));
	}
	return () => all.delete(callback);
}

/** Does work that several signals can stop. AbortSignal.any would leave a trace on each signal for its lifetime. */
export async function withAnyStop<T>(
	signals: ReadonlyArray<AbortSignal | undefined>,
	work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
	const stopping = new AbortController();
	const stop = () => stopping.abort();
	if (signals.some((signal) => signal?.aborted)) stop();
	const forget = signals.map((signal) => onStop(signal, stop));
	try {
		return await work(stopping.signal);
	} finally {
		forget.forEach((forgetOne) => forgetOne());
	}
}
