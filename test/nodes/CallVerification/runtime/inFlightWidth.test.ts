import { InFlightWidth } from '../../../../nodes/CallVerification/runtime/inFlightWidth';

/** Round trips in which every place is taken. */
class RoundTrips {
	readonly places = new InFlightWidth();
	private now = 0;

	constructor(private readonly latency: (inFlight: number) => number = () => 80) {}

	get width() {
		return this.places.width;
	}

	/** `failures` of the answers are failures, the first ones. */
	go(times = 1, failures = 0): this {
		for (let time = 0; time < times; time++) {
			const inFlight = this.width;
			const flights = Array.from({ length: inFlight }, () =>
				this.places.started(inFlight, this.now),
			);
			this.now += this.latency(inFlight);
			for (const [index, flight] of flights.entries()) {
				this.places.answered(flight, this.now, inFlight, index < failures);
			}
		}
		return this;
	}

	widths(times: number): number[] {
		return Array.from({ length: times }, () => this.go().width);
	}
}

/** Goes well up to a width; beyond it, more in flight brings less. */
const slowerBeyond = (width: number) => (inFlight: number) =>
	80 * Math.max(1, inFlight / width) ** 2;

describe('InFlightWidth', () => {
	it('starts with sixteen and doubles, dares more than 38 after 100 answers, and ends at 64', () => {
		const trips = new RoundTrips();
		expect(trips.width).toBe(16);
		expect(trips.widths(5)).toEqual([32, 38, 38, 62, 64]);
	});

	it('does not take the width that it keeps at first for the best one', () => {
		const trips = new RoundTrips(slowerBeyond(64)).go(4);
		expect(trips.widths(2)).toEqual([64, 64]);
	});

	it('narrows at once when a round at the width of the beginning fails', () => {
		const trips = new RoundTrips().go(2);
		expect(trips.go(1, 38).width).toBe(20);
	});

	it('does not grow while its places are not used', () => {
		const places = new InFlightWidth();
		for (let i = 0; i < 4; i++) places.answered(places.started(8, i), i + 80, 8, false);
		expect(places.width).toBe(16);
		for (let i = 0; i < 3; i++) places.answered(places.started(9, i), i + 80, 9, false);
		expect(places.width).toBe(18);
	});

	it('goes back when a doubling has brought less', () => {
		const trips = new RoundTrips(slowerBeyond(16));
		expect(trips.widths(3)).toEqual([32, 16, 16]);
	});

	it.each([
		['all of them bring clearly less than some of them did', 500, 32],
		['they bring hardly less, which may be chance', 112, 64],
	])('goes back from the widest when %s', (_what, latency, width) => {
		const { places } = new RoundTrips().go(3);
		const round = (inFlight: number, milliseconds: number) => {
			for (let answer = 0; answer < 64; answer++) {
				places.answered(places.started(inFlight, 0), milliseconds, inFlight, false);
			}
		};
		// On the way to the widest, not all of its places are taken yet.
		round(48, 80);
		round(64, latency);
		expect(places.width).toBe(width);
	});

	it('tries a quarter more after six rounds, and returns if that brings nothing', () => {
		const trips = new RoundTrips(slowerBeyond(16)).go(2);
		expect(trips.widths(10)).toEqual([16, 16, 16, 16, 16, 20, 20, 20, 16, 16]);
	});

	it('then tries a quarter less, and returns if that loses something', () => {
		const trips = new RoundTrips(slowerBeyond(16)).go(2 + 9);
		expect(trips.widths(10)).toEqual([16, 16, 16, 16, 16, 12, 12, 12, 16, 16]);
	});

	it('goes on in a direction that pays', () => {
		let knee = 16;
		const trips = new RoundTrips((inFlight) => slowerBeyond(knee)(inFlight)).go(2);
		expect(trips.width).toBe(16);
		knee = 64;
		expect(trips.go(6).width).toBe(20);
		expect(trips.go(3).width).toBe(25);
		expect(trips.go(60).width).toBe(64);
		knee = 16;
		trips.go(200);
		expect(trips.width).toBeGreaterThanOrEqual(10);
		expect(trips.width).toBeLessThanOrEqual(20);
	});

	it('loses half when a whole round fails, and less when less fails', () => {
		expect(new RoundTrips().go(1, 16).width).toBe(9);
		expect(new RoundTrips().go(5).go(1, 64).width).toBe(33);
		expect(new RoundTrips().go(5).go(1, 16).width).toBe(57);
	});

	it('never falls below one and survives a service that is away', () => {
		const trips = new RoundTrips();
		for (let i = 0; i < 50; i++) trips.go(1, trips.width);
		expect(trips.width).toBeLessThanOrEqual(2);
		expect(trips.width).toBeGreaterThanOrEqual(1);
		expect(trips.go(30).width).toBeGreaterThan(8);
	});

	it('grows by one a round after a failure, and holds after eight clean rounds', () => {
		const trips = new RoundTrips().go(1, 16);
		expect(trips.widths(9)).toEqual([10, 11, 12, 13, 14, 15, 16, 16, 16]);
	});

	it('begins to count clean rounds anew with every failure', () => {
		const trips = new RoundTrips().go(1, 16).go(7);
		expect(trips.width).toBe(16);
		expect(trips.go(1, 1).width).toBe(16);
		expect(trips.go(7).width).toBe(23);
	});

	it('does not double any more once something has failed', () => {
		const places = new InFlightWidth();
		const flights = Array.from({ length: 16 }, () => places.started(16, 0));
		flights.forEach((flight) => places.answered(flight, 80, 16, true));
		expect(places.width).toBe(9);
	});

	it('narrows once for all failures that were under way together', () => {
		const places = new InFlightWidth();
		const flights = Array.from({ length: 32 }, () => places.started(16, 0));
		flights.forEach((flight) => places.answered(flight, 80, 16, true));
		expect(places.width).toBe(9);
	});

	it('counts what was under way when it grew by one', () => {
		const places = new InFlightWidth();
		places.narrowTo(4);
		const flights = Array.from({ length: 9 }, () => places.started(4, 0));
		flights.forEach((flight) => places.answered(flight, 80, 4, false));
		expect(places.width).toBe(6);
	});

	it('tries less when it can have no more', () => {
		const widths = new RoundTrips().go(5).widths(30);
		expect(new Set(widths)).toEqual(new Set([64, 48]));
	});

	it('can be narrowed from outside and grows again from there', () => {
		const trips = new RoundTrips().go(3);
		trips.places.narrowTo(10);
		expect(trips.width).toBe(10);
		expect(trips.widths(2)).toEqual([11, 12]);
	});

	it('ignores answers to what started before the last change of course', () => {
		const places = new InFlightWidth();
		const before = places.started(8, 0);
		places.narrowTo(1);
		for (let i = 0; i < 20; i++) places.answered(before, 80, 8, false);
		expect(places.width).toBe(1);
		places.answered(places.started(1, 0), 80, 1, false);
		expect(places.width).toBe(2);
	});

	it('keeps below its ceiling, at once and later', () => {
		const trips = new RoundTrips().go(3);
		trips.places.ceiling = 20;
		expect(trips.width).toBe(20);
		expect(trips.go(100).width).toBeLessThanOrEqual(20);
		expect(Math.max(...trips.widths(50))).toBe(20);
		trips.places.ceiling = 24;
		expect(Math.max(...trips.widths(50))).toBe(24);
	});

	it('keeps its ceiling between one and sixty-four', () => {
		const places = new InFlightWidth();
		expect(places.ceiling).toBe(64);
		places.ceiling = 0;
		expect(places.ceiling).toBe(1);
		places.ceiling = 65;
		expect(places.ceiling).toBe(64);
	});
});
