import { growthOf } from '../../../bench/endurance/growth';

const MB = 1e6;
const limitBytes = 4000 * MB;

/** An hour of samples, with small fluctuations. */
function samplesOf(bytesAt: (hours: number) => number) {
	return Array.from({ length: 100 }, (_, index) => ({
		hours: index / 100,
		bytes: bytesAt(index / 100) + (index % 2) * MB,
	}));
}

test('a fluctuating heap is acceptable', () => {
	const { isAcceptable, bytesPerHour } = growthOf({
		samples: samplesOf(() => 200 * MB),
		limitBytes,
	});
	expect(isAcceptable).toBe(true);
	expect(Math.abs(bytesPerHour)).toBeLessThan(MB);
});

test('growth in the first fifth does not count', () => {
	const samples = samplesOf((hours) => 200 * MB + Math.min(hours, 0.2) * 1000 * MB);
	const growth = growthOf({ samples, limitBytes });
	expect(growth.samples).toBe(80);
	expect(growth.isAcceptable).toBe(true);
});

test('clear growth of more than a tenth of the limit per day is not acceptable', () => {
	const samples = samplesOf((hours) => 200 * MB + hours * 20 * MB);
	const { isAcceptable, bytesPerHour, shareOfLimitPerDay } = growthOf({ samples, limitBytes });
	expect(bytesPerHour / MB).toBeCloseTo(20, 0);
	expect(shareOfLimitPerDay).toBeCloseTo(0.12, 2);
	expect(isAcceptable).toBe(false);
});

test('clear growth below that is acceptable', () => {
	const samples = samplesOf((hours) => 200 * MB + hours * 10 * MB);
	expect(growthOf({ samples, limitBytes }).isAcceptable).toBe(true);
});
