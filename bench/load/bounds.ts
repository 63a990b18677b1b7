import { atLeast, atMost, type Bound, bound, NONE } from '../bound';
import { count } from '../table';
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
		bound(`${long}: lost`, killed.lost, NONE),
		bound(`${long}: charged twice`, killed.chargedTwice, atMost(killed.kills * PART, 'numbers')),
		bound(
			`${long}: peak memory over that of ${count(chunks.numbers)} rows`,
			killed.peakBytes / chunks.peakBytes,
			atMost(1.5, 'times'),
		),
		bound(
			`${count(chunks.numbers)} rows in parts: time over one part`,
			chunks.seconds / plain.seconds,
			atMost(1.25, 'times'),
		),
	];
}

function listBounds({ service, numbers, ours, atOnce }: Lists): Bound[] {
	const list = `${service}, ${count(numbers)} numbers`;
	return [
		bound(`${list}: lost`, ours.lost, NONE),
		bound(`${list}: charged`, ours.charged, atMost(numbers, 'numbers')),
		bound(`${list}: charged twice`, ours.chargedTwice, NONE),
		bound(
			`${list}: longest /healthz answer over the HTTP Request node's`,
			ours.longestHealthMs / atOnce.longestHealthMs,
			atMost(1, 'times'),
		),
	];
}

function fileBounds({ rows, file, items, cpuRatio, limited, live }: Files): Bound[] {
	const name = `file of ${count(rows)} rows`;
	const runs = limited ? [file, limited] : [file];
	const worst = (figure: 'lost' | 'chargedTwice') => Math.max(...runs.map((run) => run[figure]));
	return [
		bound(`${name}: lost`, worst('lost'), NONE),
		bound(`${name}: charged twice`, worst('chargedTwice'), NONE),
		bound(`${name}: computing over the same rows as items`, cpuRatio, atMost(0.6, 'times')),
		bound(
			`${name}: memory beyond n8n's own over the same rows as items`,
			(file.peakBytes - file.restBytes) / (items.peakBytes - items.restBytes),
			atMost(0.5, 'times'),
		),
		bound(
			`${name}: live heap over the same rows as items`,
			live.file.bytes / live.items.bytes,
			atMost(0.5, 'times'),
		),
		bound(`${name}: live heap beyond n8n's own`, live.file.bytes / 1e6, atMost(200, 'megabytes')),
		bound(
			`${name}: longest time n8n could not answer, without V8’s garbage collections`,
			file.longestWorkMs,
			atMost(100, 'milliseconds'),
		),
		...(limited
			? [
					bound(
						`${name}, 100 per second: time over the floor`,
						limited.seconds / limited.floorSeconds,
						atMost(1.15, 'times'),
					),
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
	return [
		bound(`${name}: lost`, run.lost, NONE),
		bound(`${name}: charged twice`, run.chargedTwice, NONE),
		bound(`${name}: charged`, run.charged, atMost(rows, 'numbers')),
		bound(`${name}: time over one`, run.seconds / file.seconds, atMost(2, 'times')),
		bound(`${name}: computing over one`, run.cpuSeconds / file.cpuSeconds, atMost(2, 'times')),
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
	const leastSpeed = LEAST_SPEED[engine];
	return Object.entries({ sealed, unsealed }).flatMap(([name, { speedRatio, lost }]) => {
		const events = `${mode}, ${engine}, ${name}`;
		const perSecond = `${events}: events per second over the Webhook node's`;
		return [
			...(leastSpeed === undefined
				? []
				: [bound(perSecond, speedRatio, atLeast(leastSpeed, 'times'))]),
			bound(`${events}: events lost`, lost, NONE),
		];
	});
}

function workerBounds({ service, runs }: Workers): Bound[] {
	return runs.flatMap(({ executions, lost, chargedTwice }) => {
		const run = `workers, ${service}, ${executions} at once`;
		return [bound(`${run}: lost`, lost, NONE), bound(`${run}: charged twice`, chargedTwice, NONE)];
	});
}
