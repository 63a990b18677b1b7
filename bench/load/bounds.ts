import type { Bound } from '../bounds';
import { count } from '../tables';
import { PART } from './resume';
import type { Events, Lists, Results, Resume, Workers } from './results';

export function boundsOf({
	lists,
	events,
	workers,
	resume,
}: Pick<Results, 'lists' | 'events' | 'workers' | 'resume'>): Bound[] {
	return [
		...lists.flatMap(listBounds),
		...events.flatMap(eventBounds),
		...workers.flatMap(workerBounds),
		...(resume ? resumeBounds(resume) : []),
	];
}

function resumeBounds({ plain, chunks, killed }: Resume): Bound[] {
	const long = `${count(killed.numbers)} rows in parts, ${killed.kills} kills`;
	return [
		{ what: `${long}: lost`, value: killed.lost, limit: { atMost: 0 }, unit: 'numbers' },
		{
			what: `${long}: charged twice`,
			value: killed.chargedTwice,
			limit: { atMost: killed.kills * PART },
			unit: 'numbers',
		},
		{
			what: `${long}: peak memory over that of ${count(chunks.numbers)} rows`,
			value: killed.peakBytes / chunks.peakBytes,
			limit: { atMost: 1.5 },
			unit: 'times',
		},
		{
			what: `${count(chunks.numbers)} rows in parts: time over one part`,
			value: chunks.seconds / plain.seconds,
			limit: { atMost: 1.25 },
			unit: 'times',
		},
	];
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

/**
 * Events per second relative to n8n's Webhook node. By default, n8n creates one more isolate for a trigger of any
 * package. The speed that this leaves is not ours to bound: see docs/measurements.md.
 */
const LEAST_SPEED: Readonly<Partial<Record<Events['engine'], number>>> = {
	withoutIsolates: 0.95,
	onDemand: 0.9,
};

function eventBounds({ mode, engine, sealed, unsealed }: Events): Bound[] {
	return Object.entries({ sealed, unsealed }).flatMap(([name, { speedRatio, lost }]): Bound[] => {
		const events = `${mode}, ${engine}, ${name}`;
		const nothingLost: Bound = {
			what: `${events}: events lost`,
			value: lost,
			limit: { atMost: 0 },
			unit: 'numbers',
		};
		const leastSpeed = LEAST_SPEED[engine];
		if (leastSpeed === undefined) return [nothingLost];
		const speed: Bound = {
			what: `${events}: events per second over the Webhook node's`,
			value: speedRatio,
			limit: { atLeast: leastSpeed },
			unit: 'times',
		};
		return [speed, nothingLost];
	});
}

function workerBounds({ service, runs }: Workers): Bound[] {
	return runs.flatMap(({ executions, lost, chargedTwice }): Bound[] => {
		const run = `workers, ${service}, ${executions} at once`;
		const none = { limit: { atMost: 0 }, unit: 'numbers' } as const;
		return [
			{ what: `${run}: lost`, value: lost, ...none },
			{ what: `${run}: charged twice`, value: chargedTwice, ...none },
		];
	});
}
