import { growthOf } from '../../../bench/endurance/growth';

const MB = 1e6;
const limitBytes = 4000 * MB;

/** An hour of samples, with a little up and down. */
function samplesOf(bytesAt: (hours: number) => number) {
	return Array.from({ length: 100 }, (_, index) => ({
		hours: index / 100,
		bytes: bytesAt(index / 100) + (index % 2) * MB,
	}));
}

test('a heap that goes up and down is bearable', () => {
	const { isBearable, bytesPerHour } = growthOf({ samples: samplesOf(() => 200 * MB), limitBytes });
	expect(isBearable).toBe(true);
	expect(Math.abs(bytesPerHour)).toBeLessThan(MB);
});

test('what is filled in the first fifth does not count', () => {
	const samples = samplesOf((hours) => 200 * MB + Math.min(hours, 0.2) * 1000 * MB);
	const growth = growthOf({ samples, limitBytes });
	expect(growth.samples).toBe(80);
	expect(growth.isBearable).toBe(true);
});

test('a clear growth of more than a tenth of the limit in a day is not bearable', () => {
	const samples = samplesOf((hours) => 200 * MB + hours * 20 * MB);
	const { isBearable, bytesPerHour, shareOfLimitPerDay } = growthOf({ samples, limitBytes });
	expect(bytesPerHour / MB).toBeCloseTo(20, 0);
	expect(shareOfLimitPerDay).toBeCloseTo(0.12, 2);
	expect(isBearable).toBe(false);
});

test('a clear growth of less is bearable', () => {
	const samples = samplesOf((hours) => 200 * MB + hours * 10 * MB);
	expect(growthOf({ samples, limitBytes }).isBearable).toBe(true);
});
