import fc from 'fast-check';
import { Quota } from '../../../../nodes/CallVerification/runtime/quota';

const startAll = (quota: Quota, times: number[]) => times.forEach((time) => quota.started(time));

describe('Quota', () => {
	it('holds nobody back as long as nothing was learned', () => {
		const quota = new Quota();
		startAll(quota, [1, 1, 1]);
		expect(quota.wait(1)).toBe(0);
		expect(quota.size).toBe(Infinity);
		expect(quota.windowMs).toBe(1000);
	});

	it('never lets more than its size start in any stretch of its window', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 20 }),
				fc.integer({ min: 100, max: 3000 }),
				fc.array(fc.nat(300), { maxLength: 100 }),
				(size, windowMs, pauses) => {
					const quota = new Quota();
					quota.set(size, windowMs);
					const starts: number[] = [];
					let now = 0;
					for (const pause of pauses) {
						now += pause;
						now += quota.wait(now);
						quota.started(now);
						starts.push(now);
					}
					for (const [index, start] of starts.entries()) {
						const next = starts[index + size] ?? Infinity;
						expect(next - start).toBeGreaterThan(windowMs);
					}
				},
			),
		);
	});

	it('waits until the oldest of its size is out of the window, with a margin', () => {
		const quota = new Quota();
		quota.set(2, 1000);
		startAll(quota, [0, 300]);
		expect(quota.wait(400)).toBe(650);
		expect(quota.wait(1049)).toBe(1);
		expect(quota.wait(1050)).toBe(0);
		expect(quota.wait(1051)).toBe(0);
	});

	it('spreads its starts over half a second instead of using them up in one go', () => {
		const quota = new Quota();
		quota.set(4, 1000);
		expect(quota.wait(0)).toBe(0);
		quota.started(0);
		expect(quota.wait(0)).toBe(125);
		expect(quota.wait(125)).toBe(0);
	});

	it('does not count what was refused', () => {
		const quota = new Quota();
		quota.set(1, 1000);
		startAll(quota, [0, 600]);
		quota.refused(600);
		expect(quota.wait(600)).toBe(450);
		expect(quota.takenBetween(-1, 1000)).toBe(1);
	});

	it('counts what started after the one and not after the other time', () => {
		const quota = new Quota();
		startAll(quota, [10, 20, 20, 30, 40]);
		expect(quota.takenBetween(10, 30)).toBe(3);
		expect(quota.takenBetween(9, 29)).toBe(3);
		expect(quota.takenBetween(-Infinity, Infinity)).toBe(5);
		expect(quota.takenBetween(40, 50)).toBe(0);
	});

	it('is a whole number and at least one', () => {
		const quota = new Quota();
		quota.set(2.9, 500);
		expect([quota.size, quota.windowMs]).toEqual([2, 500]);
		quota.set(0.5, 500);
		expect(quota.size).toBe(1);
	});

	it('forgets the oldest of very many starts', () => {
		const quota = new Quota();
		for (let start = 1; start <= 200_001; start++) quota.started(start);
		expect(quota.takenBetween(0, 100_000)).toBe(0);
		expect(quota.takenBetween(100_000, 200_001)).toBe(100_001);
	});
});
