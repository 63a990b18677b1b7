import { seededRandom } from '../../harness/simulation/seededRandom';
import {
	atMostInFlight,
	type ServiceOptions,
	slidingWindow,
	tokenBucket,
} from '../../harness/simulation/simulatedService';

/** A service in virtual time, and the least time in which 64 at once that know it could be done. */
export interface LimitedService {
	readonly name: string;
	readonly count: number;
	readonly floorSeconds: number;
	/** How much longer ours may take. */
	readonly mostOverFloor: number;
	readonly behaviour: () => ServiceOptions;
}

const LATENCY_MS = 80;
const WIDEST = 64;
const STRAY_SHARE = 0.04;
const SEED = 1;

/** Answers vary by a fifth either way, and a refusal takes as long as an answer. Without that, all would go in step. */
function answering(latencyMs: number, more: ServiceOptions = {}): ServiceOptions {
	const random = seededRandom(SEED);
	return {
		latencyMs: () => latencyMs * (0.8 + 0.4 * random()),
		refusalMs: latencyMs,
		...more,
	};
}

const atOnce = (count: number, width: number): number =>
	(Math.ceil(count / width) * LATENCY_MS) / 1000;

const perSecond = ([latencyMs, mostOverFloor]: readonly [number, number]): LimitedService => ({
	name: `100 per second, ${latencyMs} ms`,
	count: 600,
	floorSeconds: 5 + latencyMs / 1000,
	mostOverFloor,
	behaviour: () => answering(latencyMs, { admission: slidingWindow(100, 1000) }),
});

const concurrent = ([most, mostOverFloor]: readonly [number, number]): LimitedService => ({
	name: `${most} at once`,
	count: 1000,
	floorSeconds: atOnce(1000, most),
	mostOverFloor,
	behaviour: () => answering(LATENCY_MS, { admission: atMostInFlight(most) }),
});

export const LIMITED_SERVICES: readonly LimitedService[] = [
	{
		name: 'no limit',
		count: 1000,
		floorSeconds: atOnce(1000, WIDEST),
		mostOverFloor: 1.16,
		behaviour: () => answering(LATENCY_MS),
	},
	...(
		[
			[5, 1.3],
			[20, 1.33],
			[LATENCY_MS, 1.25],
		] as const
	).map(perSecond),
	{
		name: 'a bucket of 100, 100 more per second',
		count: 600,
		floorSeconds: 5 + LATENCY_MS / 1000,
		mostOverFloor: 1.09,
		behaviour: () => answering(LATENCY_MS, { admission: tokenBucket(100, 100) }),
	},
	{
		name: '600 per minute',
		count: 1500,
		floorSeconds: 120 + LATENCY_MS / 1000,
		mostOverFloor: 1.1,
		behaviour: () => answering(LATENCY_MS, { admission: slidingWindow(600, 60_000) }),
	},
	...(
		[
			[1, 1.01],
			[16, 1.12],
			[20, 1.2],
		] as const
	).map(concurrent),
	{
		name: 'slower beyond 32 at once',
		count: 1000,
		floorSeconds: atOnce(1000, 32),
		mostOverFloor: 1.32,
		behaviour: () =>
			answering(LATENCY_MS, {
				latencyMs: (inFlight) => LATENCY_MS + 10 * Math.max(0, inFlight - 32),
			}),
	},
	{
		name: 'a stray 429 in 25 answers',
		count: 1000,
		floorSeconds: atOnce(1000, WIDEST),
		mostOverFloor: 5,
		behaviour: () => {
			const random = seededRandom(SEED + 1);
			return answering(LATENCY_MS, { admission: { admits: () => random() >= STRAY_SHARE } });
		},
	},
];
