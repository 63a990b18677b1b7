import type { Clock } from './clock';

export class DeadlineError extends Error {
	constructor(readonly limitMs: number) {
		super(`No complete response within ${limitMs / 1000} s`);
		this.name = 'DeadlineError';
	}
}

/**
 * Returns the result of `work`, or throws a DeadlineError if it takes longer. The work is then told to stop, and its
 * late result or failure is ignored.
 */
export type WithDeadline = <T>(
	limitMs: number,
	work: (giveUp: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Work that starts within this time shares a timer, which runs this much longer, so that nothing gets less than the
 * limit.
 */
const MOMENT_MS = 100;

interface Moment {
	readonly limitMs: number;
	readonly endsAt: number;
	readonly tooLate: Set<() => void>;
}

/**
 * Time limits for many pieces of work. One timer each would be expensive: timers are weakly held, so minor garbage
 * collections do not free them.
 */
export function deadlines(clock: Pick<Clock, 'now' | 'timer'>): WithDeadline {
	let moment: Moment | undefined;

	const momentFor = (limitMs: number): Moment => {
		const now = clock.now();
		if (moment?.limitMs === limitMs && now < moment.endsAt) return moment;
		const tooLate = new Set<() => void>();
		const time = clock.timer(limitMs + MOMENT_MS);
		time.addEventListener('abort', () => tooLate.forEach((call) => call()));
		moment = { limitMs, endsAt: now + MOMENT_MS, tooLate };
		return moment;
	};

	return async (limitMs, work) => {
		const { tooLate } = momentFor(limitMs);
		const controller = new AbortController();
		return await new Promise((resolve, reject) => {
			const giveUp = () => {
				reject(new DeadlineError(limitMs));
				controller.abort();
			};
			tooLate.add(giveUp);
			// Both outcomes are handled here, so a late failure is never an unhandled rejection.
			work(controller.signal)
				.finally(() => tooLate.delete(giveUp))
				.then(resolve, reject);
		});
	};
}
