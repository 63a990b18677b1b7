import { z } from 'zod';

/** What a run of the benchmark has found. The table, the chart and the bounds are made from it alone. */

const standing = z.object({
	name: z.string(),
	/** The best of the rounds. */
	seconds: z.number(),
	numbers: z.number(),
	/** The time is scaled from so many numbers. */
	measuredOn: z.number().optional(),
	/** From here on: the worst of the rounds. */
	lost: z.number(),
	/** The share of requests that the service refused. */
	refused: z.number(),
	peakInFlight: z.number(),
});

const speed = z.object({
	service: z.enum(['unlimited', 'limited', 'slowing']),
	title: z.string(),
	rounds: z.number(),
	automatic: standing,
	oneByOne: standing,
	fixed: z.array(standing).nonempty(),
	bareHelper: standing,
	floor: standing,
});

const cpu = z.object({
	rounds: z.number(),
	/** Milliseconds of computing per number, the median of the rounds. */
	bareHelper: z.number(),
	/** Times the bare helper's, the median of the rounds' ratios. */
	sameConcurrency: z.number(),
	automatic: z.number(),
	/** The same, over a bare helper that pauses like ours. */
	sameConcurrencyPausing: z.number(),
});

const list = z.object({
	numbers: z.number(),
	lost: z.number(),
	cpuSeconds: z.number(),
	longestBlockMs: z.number(),
	/** What is kept at the end, results included. */
	heapBytesPerNumber: z.number(),
});

export const results = z.object({
	takenAt: z.string(),
	node: z.string(),
	n8nCore: z.string(),
	cores: z.number(),
	speed: z.array(speed),
	cpu,
	lists: z.object({ short: list, long: list }),
});

export type Results = z.infer<typeof results>;
export type Standing = z.infer<typeof standing>;
export type Speed = z.infer<typeof speed>;
export type Cpu = z.infer<typeof cpu>;
export type List = z.infer<typeof list>;

export function bestFixed({ fixed }: Speed): Standing {
	return fixed.reduce((best, other) => (other.seconds < best.seconds ? other : best));
}
