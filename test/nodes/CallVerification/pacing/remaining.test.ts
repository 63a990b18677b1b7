import { Remaining } from '../../../../nodes/CallVerification/pacing/remaining';
import type { Ticket } from '../../../../nodes/CallVerification/pacing/standstill';

/** Starts and answers requests, as the limit does. */
class Requests {
	readonly remaining = new Remaining();
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
		this.remaining.answered(this.ticket(index), isRefused, announced);
		this.inFlight.delete(index);
		return this;
	}

	isTest(index: number): boolean {
		return this.remaining.isTestedBy(this.ticket(index));
	}

	private ticket(index: number): Ticket {
		const ticket = this.inFlight.get(index);
		if (ticket === undefined) throw new Error(`${index} is not in flight`);
		return ticket;
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
		expect([1, 2].map((index) => requests.isTest(index))).toEqual([false, true]);
		requests.answer(1, 0).answer(2, 0);
		requests.start(1);
		expect(requests.isTest(3)).toBe(false);
	});

	it('is forgotten between runs', () => {
		const requests = new Requests().start(2).answer(0, 0);
		expect(requests.mayStart).toBe(false);
		requests.remaining.forget();
		expect(requests.startAll()).toBe(100);
	});
});
