import { Measure } from '../../../../nodes/CallVerification/runtime/measure';

const measureOf = (inFlight: number, latency: number, size = 1) => {
	const measure = new Measure(size);
	measure.add({ startedAt: 100, inFlight, generation: 0 }, 100 + latency, false);
	return measure;
};

describe('Measure', () => {
	it('is complete with its last answer', () => {
		const measure = measureOf(1, 1, 2);
		expect(measure.isComplete).toBe(false);
		measure.add({ startedAt: 0, inFlight: 1, generation: 0 }, 1, true);
		expect(measure.isComplete).toBe(true);
		expect(measure.failedShare).toBe(0.5);
	});

	it('is wider than another from a tenth more on', () => {
		expect(measureOf(11, 80).isWiderThan(measureOf(10, 80))).toBe(true);
		expect(measureOf(10.9, 80).isWiderThan(measureOf(10, 80))).toBe(false);
	});

	it.each([
		[8, 321, true],
		[8, 320, false],
		[40, 178, true],
		[40, 177, false],
	])('of %i answers that take %i ms is clearly slower: %s', (answers, latency, expected) => {
		const measure = measureOf(20, latency, answers);
		for (let more = 1; more < answers; more++) {
			measure.add({ startedAt: 0, inFlight: 20, generation: 0 }, latency, false);
		}
		expect(measure.isClearlySlowerThan(measureOf(10, 80))).toBe(expected);
	});

	it.each([
		['all of it comes out', 20, 80, true],
		['a quarter of it comes out', 20, 128, true],
		['less than a quarter comes out', 20, 129, false],
		['there is less than before', 20, 200, false],
	])('is worth twice the width when %s', (_, inFlight, latency, expected) => {
		expect(measureOf(inFlight, latency).isWorthItsWidthAfter(measureOf(10, 80))).toBe(expected);
	});

	it('goes by the mean of its answers', () => {
		const measure = measureOf(30, 120, 2);
		measure.add({ startedAt: 0, inFlight: 10, generation: 0 }, 40, false);
		expect(measure.isWorthItsWidthAfter(measureOf(10, 50))).toBe(true);
		expect(measure.isWorthItsWidthAfter(measureOf(10, 49))).toBe(false);
		expect(measure.isWiderThan(measureOf(18, 80))).toBe(true);
		expect(measure.isWiderThan(measureOf(19, 80))).toBe(false);
	});

	it('copes with answers that take no time', () => {
		expect(measureOf(2, 0).isWorthItsWidthAfter(measureOf(1, 0))).toBe(true);
	});
});
