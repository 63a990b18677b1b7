import { type Bound, boundsOf, holds } from './bounds';
import { markdown } from './markdown';
import type { Limits, Results } from './results';
import { boundTable, inN8nTable, limitTable, type Table } from './tables';

/** One of each kind of limit. The others are in the file of the results. */
const SERVICES_ON_PAGE = [
	'no limit',
	'100 per second, 80 ms',
	'600 per minute',
	'16 at once',
	'slower beyond 32 at once',
	'a stray 429 in 4 % of answers',
	'30 per second, announced',
	'50, then 200 per second',
];
const RUNS_ON_PAGE = ['automatic', 'AWS adaptive', 'Netflix AIMD', '64 at once, jitter'];

/** What a person reads of a run; `tablesOf` has everything. */
export function pageParts(results: Results): string[] {
	const { inN8n, limits } = results;
	const tables: Table[] = [
		...(inN8n ? [inN8nTable(inN8n)] : []),
		...(limits ? [limitTable(shortened(limits))] : []),
	];
	return [...tables.map(markdown), ...boundParts(boundsOf(results))];
}

function shortened(limits: Limits): Limits {
	return limits
		.filter(({ service }) => SERVICES_ON_PAGE.includes(service))
		.map(({ before: _earlierForm, runs, ...one }) => ({
			...one,
			runs: runs.filter(({ name }) => RUNS_ON_PAGE.includes(name)),
		}));
}

/** How many bounds hold, and each that does not. */
export function boundParts(bounds: readonly Bound[]): string[] {
	const broken = bounds.filter((bound) => !holds(bound));
	const sentence = `Of ${bounds.length} bounds, ${bounds.length - broken.length} hold.`;
	return broken.length === 0
		? [sentence]
		: [sentence, markdown({ ...boundTable(broken), title: 'What does not hold' })];
}
