import { markdown, percent, type Table, times } from './table';

/** A condition that the results must meet. */
export interface Bound {
	what: string;
	value: number;
	limit: { atLeast: number } | { atMost: number };
	unit: 'times' | 'share' | 'numbers' | 'milliseconds' | 'megabytes' | 'requests';
}

type Condition = Pick<Bound, 'limit' | 'unit'>;

export function bound(what: string, value: number, condition: Condition): Bound {
	return { what, value, ...condition };
}

export function atMost(most: number, unit: Bound['unit']): Condition {
	return { limit: { atMost: most }, unit };
}

export function atLeast(least: number, unit: Bound['unit']): Condition {
	return { limit: { atLeast: least }, unit };
}

/** No number may be lost, or paid for twice. */
export const NONE = atMost(0, 'numbers');

function holds({ value, limit }: Bound): boolean {
	return 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost;
}

/** Says which do not hold, and lets the command fail. */
export function failIfBroken(bounds: readonly Bound[]): void {
	failWith(bounds.filter((bound) => !holds(bound)).map(({ what }) => what));
}

export function failWith(broken: readonly string[]): void {
	if (broken.length === 0) return;
	console.error(`\nDoes not hold: ${broken.join('; ')}`);
	process.exitCode = 1;
}

/** How many bounds hold, and each that does not. */
export function boundParts(bounds: readonly Bound[]): string[] {
	const broken = bounds.filter((bound) => !holds(bound));
	const sentence = `Of ${bounds.length} bounds, ${bounds.length - broken.length} hold.`;
	return broken.length === 0
		? [sentence]
		: [sentence, markdown({ ...boundTable(broken), title: 'What does not hold' })];
}

export function boundTable(bounds: readonly Bound[]): Table {
	return {
		title: 'What must hold',
		head: ['bound', 'measured', 'limit', ''],
		rows: bounds.map(boundRow),
	};
}

function boundRow(bound: Bound): string[] {
	const { what, value, limit } = bound;
	const word = 'atLeast' in limit ? 'at least' : 'at most';
	const edge = 'atLeast' in limit ? limit.atLeast : limit.atMost;
	return [
		what,
		inUnit(value, bound.unit),
		`${word} ${inUnit(edge, bound.unit)}`,
		holds(bound) ? 'holds' : 'DOES NOT HOLD',
	];
}

function inUnit(value: number, unit: Bound['unit']): string {
	if (unit === 'times') return times(value);
	if (unit === 'share') return percent(value);
	if (unit === 'megabytes') return `${value.toFixed(0)} MB`;
	return unit === 'milliseconds' ? `${value.toFixed(0)} ms` : String(value);
}
