import { BOLD, CAUTIOUS, Doubt } from '../../../../nodes/CallVerification/runtime/doubt';

const SECOND = 1000;

describe('Doubt', () => {
	it('has none as long as nothing was learned', () => {
		expect(new Doubt().isDue(Number.MAX_VALUE)).toBe(false);
	});

	it('comes up five seconds after something was learned', () => {
		const doubt = new Doubt();
		doubt.rest(100, SECOND, CAUTIOUS);
		expect(doubt.isDue(5099)).toBe(false);
		expect(doubt.isDue(5100)).toBe(true);
	});

	it('lets two windows go by when they are longer', () => {
		const doubt = new Doubt();
		doubt.rest(0, 60 * SECOND, CAUTIOUS);
		expect(doubt.isDue(119_999)).toBe(false);
		expect(doubt.isDue(120_000)).toBe(true);
		doubt.raise(120_000, 60 * SECOND);
		expect(doubt.isDue(239_999)).toBe(false);
	});

	it('asks for more each time it was right, up to twice the limit, and sooner', () => {
		const doubt = new Doubt();
		doubt.rest(0, SECOND, CAUTIOUS);
		const shares = [5, 7, 9, 11, 13, 15].map((second) => {
			expect(doubt.isDue(second * SECOND - 1)).toBe(false);
			expect(doubt.isDue(second * SECOND)).toBe(true);
			return doubt.raise(second * SECOND, SECOND);
		});
		expect(shares).toEqual([0.1, 0.2, 0.4, 0.8, BOLD, BOLD]);
	});

	it('begins as boldly as it is told to', () => {
		const doubt = new Doubt();
		doubt.rest(0, SECOND, BOLD);
		expect(doubt.raise(0, SECOND)).toBe(BOLD);
	});

	it('begins anew after something was learned', () => {
		const doubt = new Doubt();
		doubt.rest(0, SECOND, CAUTIOUS);
		doubt.raise(0, SECOND);
		doubt.rest(0, SECOND, CAUTIOUS);
		expect(doubt.raise(0, SECOND)).toBe(CAUTIOUS);
	});

	it('waits twice as long each time it was wrong, up to eighty seconds', () => {
		const doubt = new Doubt();
		const waits = [1, 2, 3, 4, 5, 6].map(() => {
			doubt.refuted();
			doubt.rest(0, SECOND, CAUTIOUS);
			return [10, 20, 40, 80, 160].find((seconds) => doubt.isDue(seconds * SECOND));
		});
		expect(waits).toEqual([10, 20, 40, 80, 80, 80]);
	});
});
