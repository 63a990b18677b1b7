import fc from 'fast-check';

import {
	ALL,
	type Allowed,
	announcedLimit,
	ConcurrencyLimit,
	Pause,
	Remaining,
	Starts,
	type Ticket,
} from '../../../../nodes/CallVerification/pacing/quota';

const startsAt = (...times: number[]) => {
	const starts = new Starts();
	times.forEach((time) => starts.add(time));
	return starts;
};

const atMost = (most: number, windowMs = 1000): Allowed => ({ ...ALL, most, windowMs });

describe('Starts', () => {
	it.each<[string, number[], Allowed, number, number, number]>([
		['hold nothing back as long as everything is allowed', [1, 1, 1], ALL, 3, 1, 0],
		['allow the last one in flight', [1, 1, 1], { ...ALL, atOnce: 3 }, 2, 1, 0],
		['hold all back while that number is in flight', [1], { ...ALL, atOnce: 3 }, 3, 1, Infinity],
		['wait until the oldest that counts is out of the window', [0, 300], atMost(2), 0, 400, 650],
		['wait so with a margin', [0, 300], atMost(2), 0, 1049, 1],
		['wait no longer than that', [0, 300], atMost(2), 0, 1050, 0],
		['allow one that is late', [0, 300], atMost(2), 0, 1051, 0],
		['let the first of several go at once', [], atMost(4), 0, 0, 0],
		['are spread over half a second', [0], atMost(4), 0, 0, 125],
		['are spread no wider', [0], atMost(4), 0, 125, 0],
		['are spread over as long as it takes', [0], { ...atMost(4), spreadMs: 1000 }, 0, 0, 250],
	])('%s', (_what, times, allowed, inFlight, now, wait) => {
		expect(startsAt(...times).wait(allowed, inFlight, now)).toBe(wait);
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

const headers = (limit: unknown, remaining: unknown) => ({
	'x-rate-limit-limit': limit,
	'x-rate-limit-remaining': remaining,
});

describe('announcedLimit', () => {
	it.each([['x-rate-limit-'], ['x-ratelimit-'], ['ratelimit-']])('reads %s…', (prefix) => {
		expect(announcedLimit({ [`${prefix}limit`]: '30', [`${prefix}remaining`]: '0' })).toEqual({
			limit: 30,
			remaining: 0,
		});
	});

	it.each([
		['30', '30', 30, 30],
		[' 30 ', ' 7 ', 30, 7],
		[30, 7, 30, 7],
		[['30'], ['7'], 30, 7],
		['100, 100;w=60', '7', 100, 7],
		['100;w=60', '7', 100, 7],
		['999999999', '1', 999_999_999, 1],
	])('reads %p and %p as %i and %i', (limit, remaining, ...expected) => {
		const read = announcedLimit(headers(limit, remaining));
		expect([read?.limit, read?.remaining]).toEqual(expected);
	});

	it.each([
		['30', undefined],
		[undefined, '7'],
		['30', '31'],
		['0', '0'],
		['30', '-1'],
		['30 per second', '7'],
		['30', '7.5'],
		['9999999999', '7'],
		[{}, {}],
	])('ignores %p and %p', (limit, remaining) => {
		expect(announcedLimit(headers(limit, remaining))).toBeUndefined();
	});

	it('ignores the reset, whose unit is unknown', () => {
		const said = headers('30', '7');
		for (const reset of ['1', '1893456000', '1893456000000', 'soon', '-1']) {
			const withReset = { ...said, 'x-rate-limit-reset': reset };
			expect(announcedLimit(withReset)).toEqual(announcedLimit(said));
		}
	});
});

/** Starts and answers requests, as the limit does. */
class Requests {
	readonly remaining = new Remaining();
	readonly tests: number[] = [];
	private readonly inFlight = new Map<number, Ticket>();
	private index = 0;

	get mayStart(): boolean {
		return this.remaining.allows(this.index, this.inFlight.size);
	}

	start(count = 1): this {
		for (; count > 0; count--) {
			const index = this.index++;
			const excess = this.remaining.excess(index);
			const others = { startedAt: 0, inFlight: 0, proven: 0, width: 0 };
			this.inFlight.set(index, { ...others, index, excess });
		}
		return this;
	}

	/** As many as it may, at most 100. */
	startAll(): number {
		const before = this.index;
		while (this.mayStart && this.index < before + 100) this.start();
		return this.index - before;
	}

	answer(index: number, remaining?: number, isRefused = false): this {
		const announced = remaining === undefined ? undefined : { limit: 30, remaining };
		const ticket = this.inFlight.get(index);
		if (ticket === undefined) throw new Error(`${index} is not in flight`);
		if (this.remaining.answered(ticket, isRefused, announced)) this.tests.push(index);
		this.inFlight.delete(index);
		return this;
	}
}

describe('Remaining', () => {
	it('holds nothing back while the service says nothing', () => {
		const requests = new Requests();
		expect(requests.startAll()).toBe(100);
		expect(requests.answer(0).startAll()).toBe(100);
	});

	it('lets those start that remain, and one to test that, counting what has started since', () => {
		const requests = new Requests().start(3).answer(0, 10);
		expect(requests.startAll()).toBe(10 - 2 + 1);
		expect(requests.mayStart).toBe(false);
	});

	it('believes the response to the latest request, in whichever order they come', () => {
		const requests = new Requests().start(6).answer(5, 2).answer(0, 29);
		expect(requests.startAll()).toBe(3);
	});

	it('allows twice as many beyond it as were taken', () => {
		const requests = new Requests().start(1).answer(0, 0);
		expect(requests.startAll()).toBe(1);
		expect(requests.answer(1, 0).startAll()).toBe(2);
		expect(requests.answer(2, 0).answer(3, 0).startAll()).toBe(4);
	});

	it('counts what had started before the service said anything', () => {
		const requests = new Requests().start(16).answer(3, 0).answer(9, 0);
		// Six were taken after the one that should have been the last.
		for (const index of [0, 1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15]) requests.answer(index, 0);
		expect(requests.startAll()).toBe(12);
	});

	it('allows a single one again after a refusal', () => {
		const requests = new Requests().start(9).answer(0, 0).answer(8, 0);
		for (let index = 1; index < 8; index++) requests.answer(index, 0);
		expect(requests.startAll()).toBe(16);
		requests.answer(9, 0, true);
		for (let index = 10; index < 25; index++) requests.answer(index, 0, true);
		expect(requests.startAll()).toBe(1);
	});

	it('always lets one start if none is in flight', () => {
		const requests = new Requests().start(5).answer(0, 0);
		for (let index = 1; index < 5; index++) requests.answer(index, undefined, true);
		expect(requests.startAll()).toBe(1);
	});

	it('does not hold back for long when the service stops saying anything', () => {
		const requests = new Requests().start(2).answer(0, 0).answer(1);
		let index = 2;
		for (let rounds = 0; rounds < 6; rounds++) {
			for (let count = requests.startAll(); count > 0; count--) requests.answer(index++);
		}
		expect(requests.startAll()).toBe(100);
	});

	it('recognizes the first request beyond it, as long as none was taken', () => {
		const requests = new Requests().start(1).answer(0, 1).start(2);
		requests.answer(1, 0).answer(2, 0).start(1).answer(3, 0);
		expect(requests.tests).toEqual([2]);
	});
});

const ticket = (more: Partial<Ticket> = {}): Ticket => ({
	startedAt: 0,
	index: 0,
	inFlight: 9,
	proven: 8,
	width: 16,
	excess: 0,
	...more,
});

const refuseProbe = (pause: Pause, retryAfterMs?: number): Pause => {
	const probe = ticket({ index: 10 });
	pause.probe = probe;
	pause.wasRefused(probe, 0, retryAfterMs);
	return pause;
};

describe('Pause', () => {
	it('sends a probe as soon as nothing is in flight', () => {
		const pause = new Pause(100);
		pause.wasRefused(ticket(), 100);
		expect(pause.wait(150, 1)).toBe(950);
		expect(pause.wait(150, 0)).toBe(0);
	});

	it('waits no longer than a second for unanswered requests', () => {
		const pause = new Pause(100);
		expect([1100, 1200].map((now) => pause.wait(now, 1))).toEqual([0, 0]);
	});

	it('sends one probe at a time, whatever is refused late, and recognizes it when accepted', () => {
		const pause = new Pause(0);
		const probe = ticket();
		pause.probe = probe;
		expect(pause.wait(99_999, 0)).toBe(Infinity);
		pause.wasRefused(ticket(), 10);
		expect(pause.wait(99_999, 0)).toBe(Infinity);
		expect(pause.probesRefused).toBe(0);
		expect(pause.wasTaken(ticket())).toBe(false);
		expect(pause.wasTaken(probe)).toBe(true);
	});

	it('doubles the pause with every probe that is refused, up to half a minute', () => {
		const pause = new Pause(0);
		const pauses = Array.from({ length: 9 }, () => refuseProbe(pause).wait(0, 0));
		expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
		expect(pause.probesRefused).toBe(9);
	});

	it('pauses for the longest time that it is told', () => {
		const pause = new Pause(0);
		pause.wasRefused(ticket(), 0, 60_000);
		pause.wasRefused(ticket(), 10, 5000);
		pause.wasRefused(ticket(), 20);
		expect(pause.wait(20, 0)).toBe(59_980);
	});

	it('pauses after a probe as long as it is told, and as it chooses when told “at once”', () => {
		const pauseAfter = (told: number) => refuseProbe(new Pause(0), told).wait(0, 0);
		expect([pauseAfter(100), pauseAfter(0)]).toEqual([100, 250]);
	});

	it('knows that it is about the rate when as many in flight had succeeded before', () => {
		const pause = new Pause(0);
		pause.wasRefused(ticket({ inFlight: 9, proven: 8 }), 0);
		expect(pause.isAboutRate).toBe(false);
		pause.wasRefused(ticket({ inFlight: 8, proven: 8 }), 0);
		expect(pause.isAboutRate).toBe(true);
		expect(pause.refused).toHaveLength(2);
	});
	describe('looks like chance', () => {
		const pauseWith = (refused: number[], taken: number[], retryAfterMs?: number) => {
			const pause = new Pause(0);
			refused.forEach((index) => pause.wasRefused(ticket({ index }), 0, retryAfterMs));
			taken.forEach((index) => pause.wasTaken(ticket({ index })));
			return pause;
		};

		it('when over two thirds of the later starts were accepted', () => {
			expect(pauseWith([5, 9], [6, 7, 8, 10, 11]).looksLikeChance).toBe(true);
			expect(pauseWith([9, 5], [6, 7, 8, 10, 11]).looksLikeChance).toBe(true);
			expect(pauseWith([5, 9], [6, 7, 8, 10]).looksLikeChance).toBe(false);
			expect(pauseWith([5, 9], [1, 2, 3, 4, 6]).looksLikeChance).toBe(false);
		});

		it('unless the service says when to come back', () => {
			expect(pauseWith([5], [6, 7, 8], 0).looksLikeChance).toBe(true);
			expect(pauseWith([5], [6, 7, 8], 1000).looksLikeChance).toBe(false);
		});

		it('unless a probe was refused too', () => {
			expect(refuseProbe(pauseWith([5], [6, 7, 8, 9])).looksLikeChance).toBe(false);
		});
	});
});
/** Round trips that use all slots, or at most `used` of them. */
class RoundTrips {
	readonly places = new ConcurrencyLimit();
	private now = 0;

	constructor(
		private readonly latency: (inFlight: number) => number = () => 80,
		private readonly used = Infinity,
	) {}

	get width() {
		return this.places.width;
	}

	/** The first `failures` responses of each round trip are failures. */
	go(times = 1, failures = 0): this {
		for (let time = 0; time < times; time++) {
			const tickets = this.start();
			this.now += this.latency(tickets.length);
			for (const [index, ticket] of tickets.entries()) {
				this.places.answered(ticket, this.now, index < failures);
			}
		}
		return this;
	}

	start(): Ticket[] {
		const { width, now: startedAt } = this;
		const inFlight = Math.min(width, this.used);
		const ticket = { startedAt, inFlight, width, index: 0, proven: 0, excess: 0 };
		return Array.from({ length: inFlight }, () => ticket);
	}

	answer(tickets: Ticket[], failed: boolean): void {
		tickets.forEach((ticket) => this.places.answered(ticket, this.now + 80, failed));
	}

	widths(times: number): number[] {
		return Array.from({ length: times }, () => this.go().width);
	}
}

/** Fast up to this width; beyond it, more in flight means less throughput. */
const slowerBeyond = (width: number) => (inFlight: number) =>
	80 * Math.max(1, inFlight / width) ** 2;

describe('ConcurrencyLimit', () => {
	it('starts with 16, continues with 40, and goes to 64 after 150 answers', () => {
		const trips = new RoundTrips();
		expect(trips.width).toBe(16);
		expect(trips.widths(7)).toEqual([40, 40, 40, 40, 64, 64, 64]);
	});

	it('does not grow while its slots are not used', () => {
		expect(new RoundTrips(undefined, 8).go(100).width).toBe(16);
		expect(new RoundTrips(undefined, 20).go(100).width).toBe(40);
	});

	it('goes back after the first round in which more in flight means less throughput', () => {
		const trips = new RoundTrips(slowerBeyond(16));
		expect(trips.widths(2)).toEqual([40, 16]);
	});

	it('takes a step that gains a third of what it adds, and none that gains less', () => {
		const stepWith = (latency: number) =>
			new RoundTrips((inFlight) => (inFlight > 16 ? latency : 80)).go(3).width;
		// Two and a half times as wide: throughput must be 1.5 times as high.
		expect([stepWith(133), stepWith(134)]).toEqual([40, 16]);
	});

	it('then tries a quarter more every few rounds, and goes back if that gains nothing', () => {
		const trips = new RoundTrips(slowerBeyond(16)).go(2);
		expect(trips.widths(8)).toEqual([16, 16, 16, 20, 16, 16, 16, 16]);
	});

	it('tries a quarter less when the service has become slower, and stays if that is as fast', () => {
		let knee = 64;
		const trips = new RoundTrips((inFlight) => slowerBeyond(knee)(inFlight)).go(20);
		expect(trips.width).toBe(64);
		knee = 16;
		trips.go(100);
		expect(trips.width).toBeGreaterThanOrEqual(12);
		expect(trips.width).toBeLessThanOrEqual(20);
	});

	it('never tries less while the service is as fast as ever', () => {
		expect(new Set(new RoundTrips().go(10).widths(50))).toEqual(new Set([64]));
	});

	it('continues in a direction that helps', () => {
		let knee = 16;
		const trips = new RoundTrips((inFlight) => slowerBeyond(knee)(inFlight)).go(2);
		knee = 64;
		expect(new Set(trips.widths(30))).toEqual(new Set([16, 20, 25, 32, 40, 50, 63, 64]));
	});

	it('shrinks by half when a whole round fails, and by less when less fails', () => {
		expect(new RoundTrips().go(1, 16).width).toBe(8);
		expect(new RoundTrips().go(10).go(1, 64).width).toBe(32);
		expect(new RoundTrips().go(10).go(1, 16).width).toBe(64);
		expect(new RoundTrips().go(1, 4).width).toBe(15);
	});

	it('keeps growing when only a few fail', () => {
		expect(new RoundTrips().go(1, 1).width).toBe(19);
	});

	it('narrows without waiting for the end of a round when a quarter of it has failed', () => {
		const trips = new RoundTrips();
		const tickets = trips.start();
		trips.answer(tickets.slice(0, 4), true);
		expect(trips.width).toBe(16);
		trips.answer(tickets.slice(0, 1), true);
		expect(trips.width).toBe(8);
	});

	it('never falls below two and survives an outage', () => {
		const trips = new RoundTrips();
		for (let i = 0; i < 50; i++) trips.go(1, trips.width);
		expect(trips.width).toBe(2);
		expect(trips.go(30).width).toBeGreaterThan(8);
	});

	it('grows by a quarter after a failure', () => {
		const trips = new RoundTrips().go(1, 16);
		expect(trips.widths(6)).toEqual([8, 10, 10, 13, 13, 17]);
	});

	it('can be narrowed from outside, to 16 or half, and grows again from there', () => {
		const trips = new RoundTrips().go(10);
		trips.places.narrow();
		expect(trips.width).toBe(16);
		expect(trips.widths(4)).toEqual([16, 20, 20, 25]);
		trips.places.narrow();
		expect(trips.width).toBe(13);
	});

	it('is not widened by being narrowed', () => {
		const trips = new RoundTrips();
		for (let i = 0; i < 50; i++) trips.go(1, trips.width);
		trips.places.narrow();
		expect(trips.width).toBe(2);
	});

	it('ignores answers to requests that started at another width', () => {
		const trips = new RoundTrips();
		const before = trips.start();
		trips.places.narrow();
		for (let i = 0; i < 5; i++) trips.answer(before, true);
		expect(trips.width).toBe(8);
	});

	it('copes with answers that take no time', () => {
		expect(new RoundTrips(() => 0).go(10).width).toBe(64);
	});
});
