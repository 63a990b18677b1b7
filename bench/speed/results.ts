import { z } from 'zod';

import { atLeast, atMost, type Bound, bound, NONE } from '../bound';

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

/** The bounds of the parts that were measured. */
export function boundsOf({ speed, cpu, lists, inN8n, limits }: Results): Bound[] {
	return [
		...speedBounds(speed),
		...(cpu ? [cpuBound(cpu)] : []),
		...(lists ? listBounds(lists) : []),
		...(inN8n ? inN8n.schemes.flatMap(inN8nBounds) : []),
		...(limits ? limitBounds(limits) : []),
	];
}

function speedBounds(speed: readonly Speed[]): Bound[] {
	const on = (service: Speed['service'], bounds: (found: Speed) => Bound[]): Bound[] =>
		speed.filter((each) => each.service === service).flatMap(bounds);
	return [
		...on('unlimited', ({ automatic, oneByOne, ...others }) => [
			bound(
				'no limit: faster than one by one',
				oneByOne.seconds / automatic.seconds,
				atLeast(10, 'times'),
			),
			bound(
				'no limit: speed over the best fixed number',
				bestFixed(others).seconds / automatic.seconds,
				atLeast(0.85, 'times'),
			),
		]),
		...on('limited', ({ automatic, floor }) => [
			bound('100 per second: numbers lost', automatic.lost, NONE),
			bound(
				'100 per second: time over the floor',
				automatic.seconds / floor.seconds,
				atMost(1.3, 'times'),
			),
			bound('100 per second: requests wasted on 429', automatic.refused, atMost(0.08, 'share')),
		]),
		...speed.map(({ service, automatic }) =>
			bound(
				`${service}: requests in flight at once`,
				automatic.peakInFlight,
				atMost(64, 'requests'),
			),
		),
	];
}

function cpuBound({ sameConcurrency }: Cpu): Bound {
	return bound(
		'computing per number over the bare helper, both 64 at once',
		sameConcurrency,
		atMost(1.15, 'times'),
	);
}

function listBounds({ short, long }: Lists): Bound[] {
	return [
		bound(
			'100,000 numbers: computing over that for 10,000',
			long.cpuSeconds / short.cpuSeconds,
			atMost(12, 'times'),
		),
		bound('100,000 numbers: lost', long.lost, NONE),
		bound(
			'100,000 numbers: longest time n8n could not answer',
			long.longestBlockMs,
			atMost(100, 'milliseconds'),
		),
	];
}

function inN8nBounds(found: InN8n['schemes'][number]): Bound[] {
	const { scheme, ours, oursOverPlain, oursOverWithCredential } = found;
	return [
		bound(
			`n8n, ${scheme}: time over the HTTP Request node without a credential`,
			oursOverPlain,
			atMost(1.3, 'times'),
		),
		bound(
			`n8n, ${scheme}: time over the HTTP Request node with a credential`,
			oursOverWithCredential,
			atMost(1, 'times'),
		),
		bound(`n8n, ${scheme}: requests in flight at once`, ours.peakInFlight, atMost(64, 'requests')),
		bound(`n8n, ${scheme}: numbers lost`, ours.lost, NONE),
	];
}

/** The name of ours among those that find a limit. */
export const OUR_WAY = 'automatic';

function limitBounds(limits: Limits): Bound[] {
	return limits.flatMap(({ service, floorSeconds, mostOverFloor, mostRefused, runs }) => {
		const ours = runs.find(({ name }) => name === OUR_WAY);
		if (ours === undefined) return [];
		const simulated = `simulated, ${service}`;
		const overFloor = ours.seconds / floorSeconds;
		return [
			bound(`${simulated}: lost`, ours.lost, NONE),
			bound(`${simulated}: time over the floor`, overFloor, atMost(mostOverFloor, 'times')),
			...(mostRefused === undefined
				? []
				: [
						bound(
							`${simulated}: requests wasted on 429`,
							ours.refused,
							atMost(mostRefused, 'share'),
						),
					]),
		];
	});
}
