import { runList } from '../../harness/simulation/listRun';
import { adaptiveLimit, type Limit } from '../../nodes/CallVerification/pacing/limit';
import type { Clock } from '../../nodes/CallVerification/pacing/time';
import type { Limits } from '../speed/results';
import { ANNOUNCING_SERVICES } from './announcingServices';
import { AIMD_MOST, AwsAdaptiveRate, FixedLimit, NetflixAimd } from './publishedLimits';
import { type LimitedService, SILENT_SERVICES } from './silentServices';

/** A way to find out how many requests a service takes. */
interface Algorithm {
	readonly name: string;
	/** The most it would ever have in flight. */
	readonly most: number;
	readonly limit: (clock: Clock) => Limit;
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
 * Netflix's limit only decides how many may be in flight, and so does a fixed number. Neither decides when to retry after
 * a refusal, so all get AWS's pauses. All retry until the service takes the request.
 */
const ALGORITHMS: readonly Algorithm[] = [
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
		limit: (clock) => new NetflixAimd(clock),
		pauseMs: jitter,
	},
	{
		name: '64 at once, jitter',
		most: 64,
		limit: (clock) => new FixedLimit(clock, 64),
		pauseMs: jitter,
	},
];

export const LIMITED_SERVICES: readonly LimitedService[] = [
	...SILENT_SERVICES,
	...ANNOUNCING_SERVICES,
];

type LimitRun = Limits[number]['runs'][number];

/** Each gives different latencies and stray refusals, and another phase of the calendar. */
const SEEDS = [1, 2, 3, 4, 5];

/** Every algorithm on every service, in virtual time: the same figures on every machine. */
export async function measureLimits(): Promise<Limits> {
	const found: Limits = [];
	for (const service of LIMITED_SERVICES) {
		const runs: LimitRun[] = [];
		for (const algorithm of ALGORITHMS) runs.push(await simulate(algorithm, service));
		const { name, count, floorSeconds, mostOverFloor, mostRefused } = service;
		found.push({
			service: name,
			numbers: count,
			floorSeconds,
			mostOverFloor,
			mostRefused,
			runs,
		});
	}
	return found;
}

/** The mean of time and refusals, and the worst of lost and in flight. */
export async function simulate(
	{ name, most, limit, pauseMs }: Algorithm,
	{ count, behaviour }: LimitedService,
): Promise<LimitRun> {
	const runs = [];
	for (const seed of SEEDS) {
		runs.push(await runList(count, limit, behaviour(seed), { width: most, pauseMs }));
	}
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value) / values.length;
	return {
		name,
		seconds: mean(runs.map(({ seconds }) => seconds)),
		lost: Math.max(...runs.map(({ lost }) => lost)),
		refused: mean(runs.map(({ wasted }) => wasted)),
		peakInFlight: Math.max(...runs.map(({ mostInFlight }) => mostInFlight)),
	};
}
