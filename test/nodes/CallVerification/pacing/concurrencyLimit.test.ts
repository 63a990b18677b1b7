import { ConcurrencyLimit } from '../../../../nodes/CallVerification/pacing/concurrencyLimit';
import type { Ticket } from '../../../../nodes/CallVerification/pacing/quota';

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

	it('narrows once for all failures that were in flight together', () => {
		const trips = new RoundTrips();
		trips.answer(trips.start(), true);
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
