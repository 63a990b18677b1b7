import type { Bound } from '../bounds';
import { count } from '../tables';
import { PART } from './resume';
import type { Events, Files, Lists, Results, Resume, Workers } from './results';

export function boundsOf({
	lists,
	files,
	events,
	workers,
	resume,
}: Pick<Results, 'lists' | 'files' | 'events' | 'workers' | 'resume'>): Bound[] {
	return [
		...lists.flatMap(listBounds),
		...files.flatMap(fileBounds),
		...files.flatMap(knownBounds),
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

function fileBounds({ rows, file, items, cpuRatio, limited, live }: Files): Bound[] {
	const name = `file of ${count(rows)} rows`;
	const runs = limited ? [file, limited] : [file];
	const worst = (figure: 'lost' | 'chargedTwice') => Math.max(...runs.map((run) => run[figure]));
	const none = { limit: { atMost: 0 }, unit: 'numbers' } as const;
	return [
		{ what: `${name}: lost`, value: worst('lost'), ...none },
		{ what: `${name}: charged twice`, value: worst('chargedTwice'), ...none },
		{
			what: `${name}: computing over the same rows as items`,
			value: cpuRatio,
			limit: { atMost: 0.6 },
			unit: 'times',
		},
		{
			what: `${name}: memory beyond n8n's own over the same rows as items`,
			value: (file.peakBytes - file.restBytes) / (items.peakBytes - items.restBytes),
			limit: { atMost: 0.5 },
			unit: 'times',
		},
		{
			what: `${name}: live heap over the same rows as items`,
			value: live.file.bytes / live.items.bytes,
			limit: { atMost: 0.5 },
			unit: 'times',
		},
		{
			what: `${name}: live heap beyond n8n's own`,
			value: live.file.bytes / 1e6,
			limit: { atMost: 200 },
			unit: 'megabytes',
		},
		{
			what: `${name}: longest time n8n could not answer, without V8’s garbage collections`,
			value: file.longestWorkMs,
			limit: { atMost: 100 },
			unit: 'milliseconds',
		},
		...(limited
			? [
					{
						what: `${name}, 100 per second: time over the floor`,
						value: limited.seconds / limited.floorSeconds,
						limit: { atMost: 1.15 },
						unit: 'times',
					} as const,
				]
			: []),
	];
}

/**
 * As many numbers are paid for as with one column. To ask for those of the second column, too, would take twice as long:
 * to know them must take less.
 */
function knownBounds({ rows, file, known }: Files): Bound[] {
	if (known === undefined) return [];
	const { run } = known;
	const name = `file of ${count(rows)} rows, a second column of known numbers`;
	const none = { limit: { atMost: 0 }, unit: 'numbers' } as const;
	const lessThanAsking = { limit: { atMost: 2 }, unit: 'times' } as const;
	return [
		{ what: `${name}: lost`, value: run.lost, ...none },
		{ what: `${name}: charged twice`, value: run.chargedTwice, ...none },
		{ what: `${name}: charged`, value: run.charged, limit: { atMost: rows }, unit: 'numbers' },
		{ what: `${name}: time over one`, value: run.seconds / file.seconds, ...lessThanAsking },
		{
			what: `${name}: computing over one`,
			value: run.cpuSeconds / file.cpuSeconds,
			...lessThanAsking,
		},
	];
}

/**
 * Events per second relative to n8n's Webhook node. By default, n8n creates one more isolate for a trigger of any
 * package. The speed that this leaves is not ours to bound: see docs/maintainers/measurements.md.
 */
const LEAST_SPEED: Readonly<Partial<Record<Events['engine'], number>>> = {
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
