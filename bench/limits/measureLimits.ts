import { runList } from '../../harness/simulation/listRun';
import type { Limits } from '../results';
import { type Algorithm, ALGORITHMS } from './algorithms';
import { LIMITED_SERVICES, type LimitedService } from './simulatedServices';

export type LimitRun = Limits[number]['runs'][number];

/** Every algorithm on every service, in virtual time: the same figures on every machine. */
export async function measureLimits(): Promise<Limits> {
	const found: Limits = [];
	for (const service of LIMITED_SERVICES) {
		const runs: LimitRun[] = [];
		for (const algorithm of ALGORITHMS) runs.push(await simulate(algorithm, service));
		const { name, count, floorSeconds, mostOverFloor } = service;
		found.push({ service: name, numbers: count, floorSeconds, mostOverFloor, runs });
	}
	return found;
}

export async function simulate(
	{ name, most, limit, pauseMs }: Algorithm,
	{ count, behaviour }: LimitedService,
): Promise<LimitRun> {
	const { seconds, lost, wasted, mostInFlight } = await runList(count, limit, behaviour(), {
		width: most,
		pauseMs,
	});
	return { name, seconds, lost, refused: wasted, peakInFlight: mostInFlight };
}
