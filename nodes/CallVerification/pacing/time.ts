/** Passed in so that tests can control it. All in milliseconds. */
export interface Clock {
	/** For measuring intervals. Never goes back. */
	now(): number;
	/** Since the Unix epoch, for times that others read. Can be set back. */
	wallTime(): number;
	sleep(milliseconds: number): Promise<void>;
	/** Aborts after this time. Unlike a sleep, it does not keep the process alive. */
	timer(milliseconds: number): AbortSignal;
}

/** Work that never started, because of a stop, a deadline or because the run gave up: neither done nor failed. */
export class StoppedError extends Error {
	override readonly name = 'StoppedError';
	override readonly message = 'The run was stopped before this could start';
}

export function throwIfStopped(stop: AbortSignal | undefined): void {
	if (stop?.aborted) throw new StoppedError();
}

const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/** The returned function forgets the callback. All share a listener: Node.js reports more than ten as a leak. */
export function onStop(signal: AbortSignal, callback: () => void): () => void {
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

/** Like `onStop`, for each of these signals that there is. */
export function onAnyStop(
	signals: ReadonlyArray<AbortSignal | undefined>,
	callback: () => void,
): () => void {
	const given = signals.filter((signal) => signal !== undefined);
	const forgetEach = given.map((signal) => onStop(signal, callback));
	return () => forgetEach.forEach((forget) => forget());
}

/** Aborts with the first of several signals, until forgotten. AbortSignal.any would stay with each of them forever. */
export function anyStop(...signals: ReadonlyArray<AbortSignal | undefined>) {
	const stopping = new AbortController();
	const abort = () => stopping.abort();
	if (signals.some((signal) => signal?.aborted)) abort();
	return { stop: stopping.signal, abort, forget: onAnyStop(signals, abort) };
}

const fulfilled = <T>(value: T) => ({ status: 'fulfilled', value }) as const;
const rejected = (reason: unknown) => ({ status: 'rejected', reason }) as const;

/** Promise.allSettled does the same for many, and leaves much more garbage. */
export const settled = <T>(work: Promise<T>) => work.then(fulfilled<T>, rejected);

/** The caller checks the signal to see why it woke up. */
export async function sleepUntilStopped(clock: Clock, milliseconds: number, stop?: AbortSignal) {
	if (stop?.aborted) return;
	await new Promise<void>((resolve, reject) => {
		const forget = onAnyStop([stop], resolve);
		clock.sleep(milliseconds).then(resolve, reject).finally(forget);
	});
}

/** Work that starts within this time shares a timer, which runs this much longer, so that nothing gets less. */
const MOMENT_MS = 100;

/**
 * The returned function throws `timeoutError()` if its work takes too long, or longer than `timeOver` allows for all work.
 * The work is then told to stop, and a late result is ignored. A timer each would be expensive: it lives until it fires,
 * long after the work is done.
 */
export function timeouts(
	clock: Pick<Clock, 'now' | 'timer'>,
	timeoutError: () => Error,
	timeOver?: AbortSignal,
) {
	let shared: { limitMs: number; until: number; timer: AbortSignal } | undefined;
	return <T>(limitMs: number, work: (abort: AbortSignal) => Promise<T>) => {
		const now = clock.now();
		if (shared?.limitMs !== limitMs || now >= shared.until) {
			shared = { limitMs, until: now + MOMENT_MS, timer: clock.timer(limitMs + MOMENT_MS) };
		}
		const { timer } = shared;
		return new Promise<T>((resolve, reject) => {
			const aborting = new AbortController();
			const end = () => {
				reject(timeoutError());
				aborting.abort();
			};
			const forget = onAnyStop([timer, timeOver], end);
			// Both outcomes are handled here, so a late failure is never an unhandled rejection.
			work(aborting.signal).finally(forget).then(resolve, reject);
		});
	};
}

/** Well below the 100 ms at which people notice a delay. */
const SLICE_MS = 10;

/**
 * Lets n8n do other work in between. Measured in time, not in pieces of work: a piece can be an expensive expression or
 * a result that is already there, and pausing after each of the latter would take longer than the work.
 */
export class TimeSlice {
	private startedAt: number;
	private pause: Promise<void> | undefined;

	constructor(private readonly clock: Pick<Clock, 'now' | 'sleep'>) {
		this.startedAt = clock.now();
	}

	/** Check this right before the work, or others may use up the time in between. */
	get isOver(): boolean {
		return this.clock.now() - this.startedAt >= SLICE_MS;
	}

	/** Waits for the next slice, together with all others: many pauses would end at once and leave no room in between. */
	async next(): Promise<void> {
		this.pause ??= this.clock.sleep(0).then(() => {
			this.startedAt = this.clock.now();
			this.pause = undefined;
		});
		await this.pause;
	}
}

interface Jobs<T> {
	count: number;
	width: number;
	/** After `stop`, no new request may start, and a job that has not sent any throws a StoppedError. */
	run: (index: number, stop: AbortSignal) => Promise<T>;
	clock: Clock;
	stop?: AbortSignal;
	stopOnFailure?: boolean;
}

/** Starts the jobs in order, `width` at a time. The results are in the same order; undefined if a job never ran. */
export async function runInOrder<T>({ count, width, run, clock, ...jobs }: Jobs<T>) {
	const results = new Array<PromiseSettledResult<T> | undefined>(count).fill(undefined);
	const slice = new TimeSlice(clock);
	const { stop, abort, forget } = anyStop(jobs.stop);
	let next = 0;

	// Each lane runs one job at a time. Only lanes wait, not jobs, so memory does not grow with the list.
	const lane = async () => {
		while (true) {
			while (slice.isOver) await slice.next();
			if (next >= count || stop.aborted) return;
			const index = next++;
			const result = await settled(run(index, stop));
			const hasFailed = result.status === 'rejected';
			const hasNotRun = hasFailed && result.reason instanceof StoppedError;
			if (!hasNotRun) results[index] = result;
			if (jobs.stopOnFailure && hasFailed) abort();
		}
	};

	await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
	forget();
	return results;
}

/** The failure to report: that of the first job, so that it is the same on every try. */
export function firstFailure(results: ReadonlyArray<PromiseSettledResult<unknown> | undefined>) {
	const index = results.findIndex((result) => result?.status === 'rejected');
	const failure = results[index];
	return failure?.status === 'rejected' ? { index, error: failure.reason as unknown } : undefined;
}

/** Runs tasks with the same key one after the other, and others in parallel. */
export class Mutex {
	private readonly last = new Map<string, Promise<unknown>>();

	async run<T>(key: string, task: () => Promise<T>): Promise<T> {
		const mine = (this.last.get(key) ?? Promise.resolve()).then(task, task);
		this.last.set(key, mine);
		return await mine.finally(() => {
			if (this.last.get(key) === mine) this.last.delete(key);
		});
	}
}
