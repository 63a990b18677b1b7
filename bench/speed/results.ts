import { z } from 'zod';

/** The results of a benchmark run. The table, the chart and the bounds are made from these alone. */

const standing = z.object({
	name: z.string(),
	/** The best of the rounds. */
	seconds: z.number(),
	numbers: z.number(),
	/** The time is scaled up from this many numbers. */
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
	/** Milliseconds of CPU time per number, the median of the rounds. */
	bareHelper: z.number(),
	/** As a multiple of the bare helper's, the median of the rounds' ratios. */
	sameConcurrency: z.number(),
	automatic: z.number(),
});

const list = z.object({
	numbers: z.number(),
	lost: z.number(),
	cpuSeconds: z.number(),
	longestBlockMs: z.number(),
	/** What is still in use at the end, including the results. */
	heapBytesPerNumber: z.number(),
});

const racer = z.object({
	name: z.string(),
	/** The median of the rounds. */
	seconds: z.number(),
	/** From here on: the worst of the rounds. */
	lost: z.number(),
	peakInFlight: z.number(),
});

/** In a real n8n, compared with its own HTTP Request node. */
const inN8n = z.object({
	n8n: z.string(),
	rounds: z.number(),
	numbers: z.number(),
	schemes: z.array(
		z.object({
			scheme: z.enum(['HTTP', 'HTTPS']),
			ours: racer,
			plain: racer,
			withCredential: racer,
			/** The medians of the rounds' ratios. */
			oursOverPlain: z.number(),
			oursOverWithCredential: z.number(),
		}),
	),
});

/** In virtual time. */
const limits = z.array(
	z.object({
		service: z.string(),
		numbers: z.number(),
		floorSeconds: z.number(),
		mostOverFloor: z.number(),
		mostRefused: z.number().optional(),
		runs: z.array(
			z.object({
				name: z.string(),
				seconds: z.number(),
				lost: z.number(),
				refused: z.number(),
				peakInFlight: z.number(),
			}),
		),
	}),
);

/** A part that was not measured is missing. */
export const results = z.object({
	/** The day on which each part was measured, by name. */
	takenOn: z.record(z.string()),
	node: z.string(),
	n8nCore: z.string(),
	cores: z.number(),
	speed: z.array(speed),
	cpu: cpu.optional(),
	lists: z.object({ short: list, long: list }).optional(),
	inN8n: inN8n.optional(),
	limits: limits.optional(),
});

export type Results = z.infer<typeof results>;
export type InN8n = z.infer<typeof inN8n>;
export type Limits = z.infer<typeof limits>;
export type Lists = NonNullable<Results['lists']>;
export type Standing = z.infer<typeof standing>;
export type Speed = z.infer<typeof speed>;
export type Cpu = z.infer<typeof cpu>;
export type List = z.infer<typeof list>;

export function bestFixed({ fixed }: Pick<Speed, 'fixed'>): Standing {
	return fixed.reduce((best, other) => (other.seconds < best.seconds ? other : best));
}
