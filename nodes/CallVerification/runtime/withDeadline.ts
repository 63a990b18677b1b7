export class DeadlineError extends Error {
	constructor(readonly limitMs: number) {
		super(`No complete answer within ${limitMs / 1000} s`);
		this.name = 'DeadlineError';
	}
}

/**
 * Gives the result of `work`, or a DeadlineError when it takes longer. `deadline` makes a signal that aborts after so many
 * milliseconds, such as AbortSignal.timeout. The work itself goes on unseen: its late result or failure is dropped.
 */
export async function withDeadline<T>(
	work: Promise<T>,
	limitMs: number,
	deadline: (milliseconds: number) => AbortSignal,
): Promise<T> {
	const signal = deadline(limitMs);
	return await new Promise<T>((resolve, reject) => {
		const giveUp = () => reject(new DeadlineError(limitMs));
		if (signal.aborted) giveUp();
		signal.addEventListener('abort', giveUp, { once: true });
		// Both ends are handled here, so a late failure is never an unhandled one.
		work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
	});
}
