import type { Door } from './door';
import { SEED } from './seed';
import { tally } from './testbed';

/** Straight to the terminal: jest would print the code location under every line. */
export function report(title: string, figures: Record<string, unknown>): void {
	const list = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
	process.stdout.write(`${title} (FAULT_SEED=${SEED}): ${list.join(', ')}\n`);
}

export function requestFigures({ arrivals, peak }: Door): Record<string, unknown> {
	const mishaps = arrivals.flatMap(({ happened }) => happened ?? []);
	return {
		requests: arrivals.length,
		'gone wrong': `${((100 * mishaps.length) / arrivals.length).toFixed(1)} %`,
		...Object.fromEntries([...tally(mishaps)].sort(([one], [other]) => (one < other ? -1 : 1))),
		'most at once': peak,
	};
}
