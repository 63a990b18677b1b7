import { runList } from '../../harness/simulation/listRun';
import type { Limits } from '../results';
import { type Algorithm, ALGORITHMS } from './algorithms';
import { BEFORE } from './before';
import type { LimitedService } from './limitedService';
import { LIMITED_SERVICES } from './simulatedServices';

export type LimitRun = Limits[number]['runs'][number];

/** Each gives different latencies and stray refusals, and another phase of the calendar. */
const SEEDS = [1, 2, 3, 4, 5];

/** Every algorithm on every service, in virtual time: the same figures on every machine. */
export async function measureLimits(): Promise<Limits> {
	const found: Limits = [];
	for (const service of LIMITED_SERVICES) {
		const runs: LimitRun[] = [];
		for (const algorithm of ALGORITHMS) runs.push(await simulate(algorithm, service));
		const { name, count, floorSeconds, mostOverFloor, mostRefused } = service;
		const before = BEFORE[name];
		found.push({
			service: name,
			numbers: count,
			floorSeconds,
			mostOverFloor,
			mostRefused,
			before: before && { seconds: before[0], refused: before[1] },
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
