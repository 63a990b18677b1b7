import { LIMITED_SERVICES, OURS, simulate } from '../../../bench/limits/measureLimits';

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
