import type { Clock } from './clock';

/**
 * Does something again and again, until the function that this gives is called. The timer that is left over then holds
 * nothing of what was done: that may be a whole run.
 */
export function every(
	clock: Pick<Clock, 'timer'>,
	milliseconds: number,
	act: () => void,
): () => void {
	let next: (() => void) | undefined = act;
	const wait = () =>
		clock.timer(milliseconds).addEventListener('abort', () => {
			if (next === undefined) return;
			next();
			wait();
		});
	wait();
	return () => (next = undefined);
}
