import type { Bound } from '../bench/bounds';
import { count } from '../bench/tables';
import type { Events, Lists, Results } from './results';

export function boundsOf({ lists, events }: Pick<Results, 'lists' | 'events'>): Bound[] {
	return [...lists.flatMap(listBounds), ...events.flatMap(eventBounds)];
}

function listBounds({ service, numbers, ours, atOnce }: Lists): Bound[] {
	const list = `${service}, ${count(numbers)} numbers`;
	return [
		{ what: `${list}: lost`, value: ours.lost, limit: { atMost: 0 }, unit: 'numbers' },
		{
			what: `${list}: charged`,
			value: ours.charged,
			limit: { atMost: numbers },
			unit: 'numbers',
		},
		{
			what: `${list}: charged twice`,
			value: ours.chargedTwice,
			limit: { atMost: 0 },
			unit: 'numbers',
		},
		{
			what: `${list}: longest /healthz answer over the HTTP Request node's`,
			value: ours.longestHealthMs / atOnce.longestHealthMs,
			limit: { atMost: 1 },
			unit: 'times',
		},
	];
}

/** What n8n's isolates cost is not ours to bound, see docs/operations.md; an event lost is, whatever they cost. */
function eventBounds({ mode, engine, sealed, unsealed }: Events): Bound[] {
	return Object.entries({ sealed, unsealed }).flatMap(([name, { speedRatio, lost }]): Bound[] => {
		const events = `${mode}, ${engine}, ${name}`;
		const nothingLost: Bound = {
			what: `${events}: events lost`,
			value: lost,
			limit: { atMost: 0 },
			unit: 'numbers',
		};
		if (engine !== 'withoutIsolates') return [nothingLost];
		const speed: Bound = {
			what: `${events}: events per second over the Webhook node's`,
			value: speedRatio,
			limit: { atLeast: 0.95 },
			unit: 'times',
		};
		return [speed, nothingLost];
	});
}
