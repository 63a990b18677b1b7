import { z } from 'zod';

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
	service: z.enum(['unlimited', 'limited', 'slowing']),
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
	service: z.enum(['unlimited', 'limited', 'slowing']),
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
