import { median, percentile } from '../../bench/percentile';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

test.each([
	[0.5, 50],
	[0.95, 95],
	[1, 100],
	[0, 1],
])('of 1 to 100, the share %p does not exceed %p', (share, expected) => {
	expect(percentile(hundred, share)).toBe(expected);
});

test('the values are compared as numbers and stay as they were', () => {
	const values = [10, 9, 100];
	expect(percentile(values, 0.5)).toBe(10);
	expect(values).toEqual([10, 9, 100]);
});

test('the median of an odd number is the middle, of an even number the mean of two', () => {
	expect(median([10, 2, 9])).toBe(9);
	expect(median([10, 2, 9, 3])).toBe(6);
});

test('an empty list has no percentile', () => {
	expect(percentile([], 0.5)).toBeNaN();
	expect(median([])).toBeNaN();
});
