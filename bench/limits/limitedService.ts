import { seededRandom } from '../../harness/simulation/seededRandom';
import {
	type Admission,
	type ServiceOptions,
	slidingWindow,
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
export const WIDEST = 64;
export const MINUTE_MS = 60_000;
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

export const atOnce = (count: number, width: number): number =>
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
