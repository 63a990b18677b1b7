import { seededRandom } from '../../../emulator/seededRandom';
import { slopeOf } from '../../../bench/endurance/slope';

const xs = Array.from({ length: 100 }, (_, index) => index / 10);

test('a straight line has its slope and no error', () => {
	const { slope, error } = slopeOf(xs.map((x) => ({ x, y: 7 - 3 * x })));
	expect(slope).toBeCloseTo(-3, 10);
	expect(error).toBeCloseTo(0, 10);
});

test('a worked example yields its known figures', () => {
	const points = [
		{ x: 1, y: 2 },
		{ x: 2, y: 4 },
		{ x: 3, y: 5 },
		{ x: 4, y: 4 },
		{ x: 5, y: 5 },
	];
	const { slope, error } = slopeOf(points);
	expect(slope).toBeCloseTo(0.6, 10);
	// Residuals -0.8, 0.6, 1, -0.6, -0.2: sum of squares 2.4, divided by 3 degrees of freedom and a spread of 10.
	expect(error).toBeCloseTo(Math.sqrt(2.4 / 3 / 10), 10);
});

test('with noise, the slope is within two errors of the true one about 95 times in 100', () => {
	const random = seededRandom(1);
	const noisy = () => slopeOf(xs.map((x) => ({ x, y: 2 * x + random() + random() - 1 })));
	const within = Array.from({ length: 1000 }, noisy).filter(
		({ slope, error }) => Math.abs(slope - 2) <= 2 * error,
	);
	expect(within.length).toBeGreaterThan(930);
	expect(within.length).toBeLessThan(970);
});
