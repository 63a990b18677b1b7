import fc from 'fast-check';
import { ALL, type Allowed, Starts } from '../../../../nodes/CallVerification/pacing/quota';

const startsAt = (...times: number[]) => {
	const starts = new Starts();
	times.forEach((time) => starts.add(time));
	return starts;
};

const atMost = (most: number, windowMs = 1000): Allowed => ({ ...ALL, most, windowMs });

describe('Starts', () => {
	it('hold nothing back as long as everything is allowed', () => {
		expect(startsAt(1, 1, 1).wait(ALL, 3, 1)).toBe(0);
	});

	it('hold everything back while the allowed number is in flight', () => {
		const starts = startsAt(1, 1, 1);
		expect(starts.wait({ ...ALL, atOnce: 3 }, 2, 1)).toBe(0);
		expect(starts.wait({ ...ALL, atOnce: 3 }, 3, 1)).toBe(Infinity);
	});

	it('never exceed the allowed number in any stretch of the window', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 20 }),
				fc.integer({ min: 100, max: 3000 }),
				fc.array(fc.nat(300), { maxLength: 100 }),
				(most, windowMs, pauses) => {
					const starts = new Starts();
					const times: number[] = [];
					let now = 0;
					for (const pause of pauses) {
						now += pause;
						now += starts.wait(atMost(most, windowMs), 0, now);
						starts.add(now);
						times.push(now);
					}
					for (const [index, time] of times.entries()) {
						expect((times[index + most] ?? Infinity) - time).toBeGreaterThan(windowMs);
					}
				},
			),
		);
	});

	it('wait until the oldest that counts is out of the window, with a margin', () => {
		const starts = startsAt(0, 300);
		expect(starts.wait(atMost(2), 0, 400)).toBe(650);
		expect(starts.wait(atMost(2), 0, 1049)).toBe(1);
		expect(starts.wait(atMost(2), 0, 1050)).toBe(0);
		expect(starts.wait(atMost(2), 0, 1051)).toBe(0);
	});

	it('are spread over half a second, or as long as it takes, instead of coming all at once', () => {
		expect(new Starts().wait(atMost(4), 0, 0)).toBe(0);
		expect(startsAt(0).wait(atMost(4), 0, 0)).toBe(125);
		expect(startsAt(0).wait(atMost(4), 0, 125)).toBe(0);
		expect(startsAt(0).wait({ ...atMost(4), spreadMs: 1000 }, 0, 0)).toBe(250);
	});

	it('do not count what was refused', () => {
		const starts = startsAt(0, 600);
		starts.remove(600);
		expect(starts.wait(atMost(1), 0, 600)).toBe(450);
		expect(starts.countBetween(-1, 1000)).toBe(1);
	});

	it('count what started after one time and not after the other', () => {
		const starts = startsAt(10, 20, 20, 30, 40);
		expect(starts.countBetween(10, 30)).toBe(3);
		expect(starts.countBetween(9, 29)).toBe(3);
		expect(starts.countBetween(-Infinity, Infinity)).toBe(5);
		expect(starts.countBetween(40, 50)).toBe(0);
	});

	it('forget the oldest', () => {
		const starts = startsAt(10, 20, 30);
		starts.keepLast(2);
		expect(starts.countBetween(-Infinity, 10)).toBe(0);
		expect(starts.countBetween(10, 30)).toBe(2);
		starts.keepLast(5);
		expect(starts.countBetween(10, 30)).toBe(2);
	});
});
