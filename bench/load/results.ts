import { z } from 'zod';

import { atLeast, atMost, type Bound, bound, NONE } from '../bound';
import { count } from '../table';

/** The results of a run. The tables and the bounds are made from these alone. */

const listRun = z.object({
	name: z.string(),
	seconds: z.number(),
	/** Numbers without a result. */
	lost: z.number(),
	/** Checks that the service charged, and how many of them for a number it had already checked. */
	charged: z.number(),
	chargedTwice: z.number(),
	longestHealthMs: z.number(),
	peakBytes: z.number(),
});

const lists = z.object({
	service: z.enum(['unlimited', 'limited']),
	title: z.string(),
	numbers: z.number(),
	ours: listRun,
	atOnce: listRun,
	batched: listRun,
});

const fileRun = z.object({
	name: z.string(),
	/** From a file on disk to a file with the results. */
	seconds: z.number(),
	/** Of n8n and its task runner. */
	cpuSeconds: z.number(),
	/** Of the n8n process, before the work and at its peak. */
	restBytes: z.number(),
	peakBytes: z.number(),
	/** The longest time in which n8n could not have responded, and the same without V8's collections of garbage. */
	longestBlockMs: z.number(),
	longestWorkMs: z.number(),
	lost: z.number(),
	charged: z.number(),
	chargedTwice: z.number(),
});

const liveHeap = z.object({ bytes: z.number() });

const files = z.object({
	rows: z.number(),
	rounds: z.number(),
	file: fileRun,
	items: fileRun,
	/** Without our node. */
	requests: fileRun.optional(),
	/** Of the file over the items, the median of the rounds' ratios. */
	cpuRatio: z.number(),
	atOnce: fileRun.optional(),
	/** The file with a second column, whose numbers are known. */
	known: z.object({ run: fileRun, live: liveHeap }).optional(),
	/** The file. */
	limited: fileRun.extend({ floorSeconds: z.number() }).optional(),
	/** The most live heap beyond what n8n needs itself. */
	live: z.object({ file: liveHeap, items: liveHeap, requests: liveHeap.optional() }),
	/** The longest time that another workflow took to respond while the file was checked. */
	events: z.object({ longestMs: z.number() }).optional(),
});

/** Each the median of the rounds. */
const eventFigures = z.object({
	perSecond: z.number(),
	p50Ms: z.number(),
	p95Ms: z.number(),
	cpuMsPerEvent: z.number(),
});
const eventStanding = eventFigures.extend({ lost: z.number() });
const comparison = eventStanding.extend({
	theirs: eventStanding,
	/** Ours over theirs, the median of the rounds' ratios. */
	speedRatio: z.number(),
	cpuRatio: z.number(),
});

const events = z.object({
	mode: z.enum(['regular', 'queue']),
	/** When n8n creates isolates of its expression engine: always (the default), or only for expressions. */
	engine: z.enum(['default', 'onDemand']),
	rounds: z.number(),
	eventsPerRound: z.number(),
	atOnce: z.number(),
	sealed: comparison,
	unsealed: comparison,
});

const workerRun = z.object({
	executions: z.number(),
	/** From taking the first chunk to writing the last. */
	seconds: z.number(),
	chunks: z.number(),
	requests: z.number(),
	lost: z.number(),
	chargedTwice: z.number(),
	/** Of all n8n processes. */
	cpuSeconds: z.number(),
	/** The time that the database's statements took. */
	databaseSeconds: z.number(),
});

const workers = z.object({
	service: z.enum(['unlimited', 'limited']),
	title: z.string(),
	numbers: z.number(),
	inTable: z.number(),
	bytesInTables: z.number(),
	runs: z.array(workerRun),
});
const resumeRun = z.object({
	name: z.string(),
	numbers: z.number(),
	/** How often n8n was killed during the run. */
	kills: z.number(),
	/** Without the time that n8n took to restart. */
	seconds: z.number(),
	/** Of n8n and its task runner. */
	peakBytes: z.number(),
	lost: z.number(),
	chargedTwice: z.number(),
});

const resume = z.object({
	plain: resumeRun,
	chunks: resumeRun,
	/** What n8n itself takes for the parts of `chunks`. */
	steps: z.object({ parts: z.number(), seconds: z.number() }).optional(),
	killed: resumeRun,
});

export const results = z.object({
	takenAt: z.string(),
	n8n: z.string(),
	cores: z.number(),
	lists: z.array(lists),
	files: z.array(files).default([]),
	events: z.array(events),
	workers: z.array(workers).default([]),
	resume: resume.optional(),
});

export type Results = z.infer<typeof results>;
export type ListRun = z.infer<typeof listRun>;
export type FileRun = z.infer<typeof fileRun>;
export type Files = z.infer<typeof files>;
export type Lists = z.infer<typeof lists>;
export type EventFigures = z.infer<typeof eventFigures>;
export type EventStanding = z.infer<typeof eventStanding>;
export type Comparison = z.infer<typeof comparison>;
export type ResumeRun = z.infer<typeof resumeRun>;
export type Resume = z.infer<typeof resume>;
export type Events = z.infer<typeof events>;
export type WorkerRun = z.infer<typeof workerRun>;
export type Workers = z.infer<typeof workers>;
export type EventContenderName = 'sealed' | 'unsealed' | 'webhook' | 'webhookWithHeader';

/** How many rows a part of the example has, by default. */
export const PART = 2_000;

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
