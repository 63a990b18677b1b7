import { ALGORITHMS, OURS } from '../../../bench/limits/algorithms';
import { simulate } from '../../../bench/limits/measureLimits';
import { LIMITED_SERVICES } from '../../../bench/limits/simulatedServices';

describe('the automatic limit on simulated services', () => {
	it.each(LIMITED_SERVICES.map((service) => [service.name, service] as const))(
		'loses nothing, stays near the floor, and gets few refusals: %s',
		async (_name, service) => {
			const { seconds, lost, refused, peakInFlight } = await simulate(OURS, service);
			expect(lost).toBe(0);
			expect(peakInFlight).toBeLessThanOrEqual(OURS.most);
			expect(seconds / service.floorSeconds).toBeLessThan(service.mostOverFloor);
			expect(refused).toBeLessThan(service.mostRefused ?? 1);
		},
	);
});

describe('a simulated race', () => {
	it.each(ALGORITHMS.map((algorithm) => [algorithm.name, algorithm] as const))(
		'ends the same way every time, and loses nothing: %s',
		async (_name, algorithm) => {
			const service = LIMITED_SERVICES.find(({ name }) => name === '100 per second, 80 ms');
			if (service === undefined) throw new Error('The service has another name');
			const first = await simulate(algorithm, service);
			expect(await simulate(algorithm, service)).toEqual(first);
			expect(first.lost).toBe(0);
		},
	);
});
