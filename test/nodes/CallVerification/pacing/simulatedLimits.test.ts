import { adaptiveLimit } from '../../../../nodes/CallVerification/pacing/limit';
import { runList, WIDEST } from '../../../simulatedService';
import { ANNOUNCING_SERVICES, type LimitedService, SILENT_SERVICES } from './limitedServices';

/** Each gives different latencies and stray refusals, and another phase of the calendar. */
const SEEDS = [1, 2, 3, 4, 5];

const mean = (values: number[]) => values.reduce((sum, value) => sum + value) / values.length;

async function runsOn({ count, behaviour }: LimitedService) {
	const runs = [];
	for (const seed of SEEDS) {
		runs.push(await runList(count, (clock) => adaptiveLimit(clock), behaviour(seed)));
	}
	return runs;
}

describe('the automatic limit on simulated services', () => {
	it.each(
		[...SILENT_SERVICES, ...ANNOUNCING_SERVICES].map((service) => [service.name, service] as const),
	)('loses nothing, stays near the floor, and gets few refusals: %s', async (_name, service) => {
		const runs = await runsOn(service);
		expect(Math.max(...runs.map(({ lost }) => lost))).toBe(0);
		expect(Math.max(...runs.map(({ mostInFlight }) => mostInFlight))).toBeLessThanOrEqual(WIDEST);
		const seconds = mean(runs.map((run) => run.seconds));
		expect(seconds / service.floorSeconds).toBeLessThan(service.mostOverFloor);
		expect(mean(runs.map(({ wasted }) => wasted))).toBeLessThan(service.mostRefused ?? 1);
	});
});
