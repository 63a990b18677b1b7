import type { Clock } from './clock';

/**
 * Calls `act` repeatedly until the returned function is called. The remaining timer then holds no reference to it,
 * because that may be a whole run.
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
