import { seededRandom } from '../../harness/simulation/seededRandom';
import {
	type Admission,
	atMostInFlight,
	fixedWindow,
	type ServiceOptions,
	slidingWindow,
	tokenBucket,
} from '../../harness/simulation/simulatedService';

/** A service in virtual time, and the shortest possible time for 64 at once that know its limits. */
export interface LimitedService {
	readonly name: string;
	readonly count: number;
	readonly floorSeconds: number;
	/** How many times as long ours may take. */
	readonly mostOverFloor: number;
	/** The share of our requests that may be refused. */
	readonly mostRefused?: number;
	readonly behaviour: (seed: number) => ServiceOptions;
}

export const LATENCY_MS = 80;
const WIDEST = 64;
const MINUTE_MS = 60_000;
/** Spreads the seeds over the phases of a second. */
export const PHASE_MS = 370;

/** Latency varies by a fifth either way, and refusals take as long as responses. Otherwise, all would run in step. */
export function answering(seed: number, more: ServiceOptions = {}, latencyMs = LATENCY_MS) {
	const random = seededRandom(seed);
	return {
		latencyMs: () => latencyMs * (0.8 + 0.4 * random()),
		refusalMs: latencyMs,
		...more,
	};
}

const atOnce = (count: number, width: number): number =>
	(Math.ceil(count / width) * LATENCY_MS) / 1000;

export const unlimited = (
	name: string,
	mostOverFloor: number,
	more: (random: () => number) => ServiceOptions,
): LimitedService => ({
	name,
	count: 1000,
	floorSeconds: atOnce(1000, WIDEST),
	mostOverFloor,
	behaviour: (seed) => answering(seed, more(seededRandom(seed + 1))),
});

export const counting = (
	name: string,
	count: number,
	floorSeconds: number,
	mostOverFloor: number,
	admission: () => Admission,
	sendsRetryAfter = false,
): LimitedService => ({
	name: sendsRetryAfter ? `${name}, Retry-After` : name,
	count,
	floorSeconds: floorSeconds + LATENCY_MS / 1000,
	mostOverFloor,
	behaviour: (seed) => answering(seed, { admission: admission(), sendsRetryAfter }),
});

export const perSecond = (most: number) => slidingWindow(most, 1000);
export const perMinute = () => slidingWindow(600, MINUTE_MS);

/** 600 numbers at 100 per second, quick and slow. */
const hundred = (
	name: string,
	admission: (seed: number) => Admission,
	mostOverFloor: readonly [number, number, number],
): LimitedService[] =>
	[5, 20, LATENCY_MS].map((latencyMs, index) => ({
		name: `100 per second${name}, ${latencyMs} ms`,
		count: 600,
		floorSeconds: 5 + latencyMs / 1000,
		mostOverFloor: mostOverFloor[index] ?? 1,
		mostRefused: 0.08,
		behaviour: (seed) => answering(seed, { admission: admission(seed) }, latencyMs),
	}));

const concurrent = (most: number, mostOverFloor: number, sendsRetryAfter = false) => ({
	...counting(
		`${most} at once`,
		1000,
		0,
		mostOverFloor,
		() => atMostInFlight(most),
		sendsRetryAfter,
	),
	floorSeconds: atOnce(1000, most),
});

/** The limit changes after five seconds. */
const changing = (before: Admission, after: Admission): Admission => ({
	admits: (now, inFlight) => (now < 5000 ? before : after).admits(now, inFlight),
});

const stray = (percent: number, mostOverFloor: number): LimitedService =>
	unlimited(`a stray 429 in ${percent} % of answers`, mostOverFloor, (random) => ({
		admission: { admits: () => random() >= percent / 100 },
	}));

const failing = (percent: number, mostOverFloor: number): LimitedService =>
	unlimited(`a stray 503 in ${percent} % of answers`, mostOverFloor, (random) => ({
		fails: () => random() < percent / 100,
	}));

/** Services that say nothing about their limits. */
export const SILENT_SERVICES: readonly LimitedService[] = [
	unlimited('no limit', 1.16, () => ({})),
	...hundred('', () => perSecond(100), [1.3, 1.33, 1.25]),
	...hundred(
		' by the calendar',
		(seed) => fixedWindow(100, 1000, PHASE_MS * seed),
		[1.2, 1.22, 1.24],
	),
	...hundred(' and a bucket of 100', () => tokenBucket(100, 100), [1.15, 1.13, 1.13]),
	counting('100 per second and a bucket of 10', 600, 5.9, 1.25, () => tokenBucket(100, 10)),
	counting('50 per second', 600, 11, 1.15, () => perSecond(50)),
	counting('5 per second', 200, 39, 1.1, () => perSecond(5)),
	counting('1 in 2 seconds', 60, 118, 1.1, () => slidingWindow(1, 2000)),
	counting('600 per minute', 1500, 120, 1.1, perMinute),
	concurrent(1, 1.01),
	concurrent(16, 1.12),
	concurrent(20, 1.2),
	{
		name: 'slower beyond 32 at once',
		count: 1000,
		floorSeconds: atOnce(1000, 32),
		mostOverFloor: 1.35,
		behaviour: (seed) =>
			answering(seed, {
				latencyMs: (inFlight) => LATENCY_MS + 10 * Math.max(0, inFlight - 32),
			}),
	},
	stray(1, 1.6),
	stray(4, 2.2),
	stray(10, 7),
	stray(30, 17),
	failing(1, 1.7),
	failing(5, 2.6),
	failing(20, 11),
	counting('100 per second', 600, 5, 1.25, () => perSecond(100), true),
	counting('600 per minute', 1500, 120, 1.1, perMinute, true),
	concurrent(20, 1.4, true),
	counting('200, then 50 per second', 2000, 26, 1.25, () =>
		changing(perSecond(200), perSecond(50)),
	),
	counting('50, then 200 per second', 2000, 13.5, 1.75, () =>
		changing(perSecond(50), perSecond(200)),
	),
];
