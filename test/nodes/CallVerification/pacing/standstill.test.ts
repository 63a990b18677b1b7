import { Standstill, type Ticket } from '../../../../nodes/CallVerification/pacing/standstill';

const ticket = (more: Partial<Ticket> = {}): Ticket => ({
	startedAt: 0,
	index: 0,
	inFlight: 9,
	proven: 8,
	width: 16,
	excess: 0,
	...more,
});

describe('Standstill', () => {
	it('sends a probe as soon as nothing is in flight', () => {
		const standstill = new Standstill(100);
		standstill.wasRefused(ticket(), 100);
		expect(standstill.wait(150, 1)).toBe(950);
		expect(standstill.wait(150, 0)).toBe(0);
	});

	it('waits no longer than a second for unanswered requests', () => {
		const standstill = new Standstill(100);
		expect(standstill.wait(1100, 1)).toBe(0);
		expect(standstill.wait(1200, 1)).toBe(0);
	});

	it('sends one probe at a time, and recognizes it when accepted', () => {
		const standstill = new Standstill(0);
		const probe = ticket();
		standstill.probe = probe;
		expect(standstill.wait(99_999, 0)).toBe(Infinity);
		expect(standstill.wasTaken(ticket())).toBe(false);
		expect(standstill.wasTaken(probe)).toBe(true);
	});

	it('keeps waiting for its probe when another refusal comes late', () => {
		const standstill = new Standstill(0);
		standstill.probe = ticket();
		standstill.wasRefused(ticket(), 10);
		expect(standstill.wait(99_999, 0)).toBe(Infinity);
		expect(standstill.probesRefused).toBe(0);
	});

	it('doubles the pause with every probe that is refused, up to half a minute', () => {
		const standstill = new Standstill(0);
		const pauses = Array.from({ length: 9 }, () => {
			const probe = ticket();
			standstill.probe = probe;
			standstill.wasRefused(probe, 0);
			return standstill.wait(0, 0);
		});
		expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
		expect(standstill.probesRefused).toBe(9);
	});

	it('pauses for the longest time that it is told', () => {
		const standstill = new Standstill(0);
		standstill.wasRefused(ticket(), 0, 60_000);
		standstill.wasRefused(ticket(), 10, 5000);
		standstill.wasRefused(ticket(), 20);
		expect(standstill.wait(20, 0)).toBe(59_980);
	});

	it('pauses after a probe as long as it is told, and as it chooses when told “at once”', () => {
		const pauseAfter = (retryAfterMs: number) => {
			const standstill = new Standstill(0);
			const probe = ticket();
			standstill.probe = probe;
			standstill.wasRefused(probe, 0, retryAfterMs);
			return standstill.wait(0, 0);
		};
		expect([pauseAfter(100), pauseAfter(0)]).toEqual([100, 250]);
	});

	it('knows that it is about the rate when as many in flight had succeeded before', () => {
		const standstill = new Standstill(0);
		standstill.wasRefused(ticket({ inFlight: 9, proven: 8 }), 0);
		expect(standstill.isAboutRate).toBe(false);
		standstill.wasRefused(ticket({ inFlight: 8, proven: 8 }), 0);
		expect(standstill.isAboutRate).toBe(true);
		expect(standstill.refused).toHaveLength(2);
	});

	describe('looks stray', () => {
		const standstillWith = (refused: number[], taken: number[], retryAfterMs?: number) => {
			const standstill = new Standstill(0);
			refused.forEach((index) => standstill.wasRefused(ticket({ index }), 0, retryAfterMs));
			taken.forEach((index) => standstill.wasTaken(ticket({ index })));
			return standstill;
		};

		it('when over two thirds of the later starts were accepted', () => {
			expect(standstillWith([5, 9], [6, 7, 8, 10, 11]).looksStray).toBe(true);
			expect(standstillWith([9, 5], [6, 7, 8, 10, 11]).looksStray).toBe(true);
			expect(standstillWith([5, 9], [6, 7, 8, 10]).looksStray).toBe(false);
			expect(standstillWith([5, 9], [1, 2, 3, 4, 6]).looksStray).toBe(false);
		});

		it('unless the service says when to come back', () => {
			expect(standstillWith([5], [6, 7, 8], 0).looksStray).toBe(true);
			expect(standstillWith([5], [6, 7, 8], 1000).looksStray).toBe(false);
		});

		it('unless a probe was refused too', () => {
			const standstill = standstillWith([5], [6, 7, 8, 9]);
			const probe = ticket({ index: 10 });
			standstill.probe = probe;
			standstill.wasRefused(probe, 0);
			expect(standstill.looksStray).toBe(false);
		});
	});
});
