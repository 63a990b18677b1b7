import { adaptiveLimit, type Limit } from '../../nodes/CallVerification/pacing/limit';
import type { Clock } from '../../nodes/CallVerification/pacing/time';
import { AwsAdaptiveRate } from './awsAdaptive';
import {
	aimd,
	AIMD_INITIAL,
	AIMD_MOST,
	netflixLimit,
	vegas,
	VEGAS_INITIAL,
	VEGAS_MOST,
} from './netflixLimits';

/** A way to find out how many requests a service takes. */
export interface Algorithm {
	readonly name: string;
	/** The most it would ever have in flight. */
	readonly most: number;
	readonly limit: (clock: Clock, random: () => number) => Limit;
	/** How long a refused request waits before it asks for its next turn. Ours leaves that to the limit. */
	readonly pauseMs?: (refusals: number, random: () => number) => number;
}

/** AWS's SDK for JavaScript: this many sockets, and "full jitter" from 500 ms after a throttling error, up to 20 s. */
const AWS_SOCKETS = 50;
const jitter = (refusals: number, random: () => number): number =>
	random() * Math.min(20_000, 500 * 2 ** (refusals - 1));

export const OURS: Algorithm = {
	name: 'automatic',
	most: 64,
	limit: (clock) => adaptiveLimit(clock),
};

/**
 * Netflix's limits only decide how many may be in flight, and so does a fixed number. None of them decides when to
 * retry after a refusal, so all get AWS's pauses. All retry until the service takes the request.
 */
export const ALGORITHMS: readonly Algorithm[] = [
	OURS,
	{
		name: 'AWS adaptive',
		most: AWS_SOCKETS,
		limit: (clock) => new AwsAdaptiveRate(clock),
		pauseMs: jitter,
	},
	{
		name: 'Netflix AIMD',
		most: AIMD_MOST,
		limit: (clock) => netflixLimit(clock, AIMD_INITIAL, aimd),
		pauseMs: jitter,
	},
	{
		name: 'Netflix Vegas',
		most: VEGAS_MOST,
		limit: (clock, random) => netflixLimit(clock, VEGAS_INITIAL, vegas(random)),
		pauseMs: jitter,
	},
	...[10, 64].map(
		(width): Algorithm => ({
			name: `${width} at once, jitter`,
			most: width,
			limit: (clock) => netflixLimit(clock, width, (limit) => limit),
			pauseMs: jitter,
		}),
	),
];
