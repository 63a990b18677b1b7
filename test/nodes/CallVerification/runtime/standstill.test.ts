import { Standstill, type Ticket } from '../../../../nodes/CallVerification/runtime/standstill';

const ticket = (more: Partial<Ticket> = {}): Ticket => ({
	startedAt: 0,
	inFlight: 9,
	generation: 0,
	proven: 8,
	startedBefore: 3,
	...more,
});

describe('Standstill', () => {
	it('sends a probe as soon as all are home', () => {
		const standstill = new Standstill(100);
		standstill.refused(ticket(), 100, undefined);
		expect(standstill.waitToProbe(150, 1)).toBe(950);
		expect(standstill.waitToProbe(150, 0)).toBe(0);
	});

	it('waits no longer than a second for those that do not come home', () => {
		const standstill = new Standstill(100);
		expect(standstill.waitToProbe(1100, 1)).toBe(0);
		expect(standstill.waitToProbe(1200, 1)).toBe(0);
	});

	it('sends one probe at a time', () => {
		const standstill = new Standstill(0);
		const probe = ticket();
		expect(standstill.isProbe(probe)).toBe(false);
		standstill.probeStarted(probe);
		expect(standstill.isProbe(probe)).toBe(true);
		expect(standstill.isProbe(ticket())).toBe(false);
		expect(standstill.waitToProbe(99_999, 0)).toBe(Infinity);
	});

	it('goes on waiting for its probe when another refusal comes late', () => {
		const standstill = new Standstill(0);
		standstill.probeStarted(ticket());
		standstill.refused(ticket(), 10, undefined);
		expect(standstill.waitToProbe(99_999, 0)).toBe(Infinity);
	});

	it('doubles the pause with every probe that is refused, up to half a minute', () => {
		const standstill = new Standstill(0);
		const pauses = Array.from({ length: 9 }, () => {
			const probe = ticket();
			standstill.probeStarted(probe);
			standstill.refused(probe, 0, undefined);
			return standstill.waitToProbe(0, 0);
		});
		expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
	});

	it('pauses as long as it is told, by the longest that it is told', () => {
		const standstill = new Standstill(0);
		standstill.refused(ticket(), 0, 60_000);
		standstill.refused(ticket(), 10, 5000);
		standstill.refused(ticket(), 20, undefined);
		expect(standstill.wasTold).toBe(true);
		expect(standstill.waitToProbe(20, 0)).toBe(59_980);
	});

	it('pauses after a probe as long as it is told, and no longer', () => {
		const standstill = new Standstill(0);
		const probe = ticket();
		standstill.probeStarted(probe);
		standstill.refused(probe, 0, 100);
		expect(standstill.waitToProbe(0, 0)).toBe(100);
	});

	it('is not told anything by “at once”', () => {
		const standstill = new Standstill(0);
		standstill.refused(ticket(), 0, 0);
		expect(standstill.wasTold).toBe(false);
	});

	it('remembers what was refused', () => {
		const standstill = new Standstill(0);
		expect(standstill.wasTold).toBe(false);
		standstill.refused(ticket({ startedAt: 5, inFlight: 20, startedBefore: 12 }), 10, undefined);
		standstill.refused(ticket({ startedAt: 6, inFlight: 17, startedBefore: 11 }), 10, undefined);
		standstill.refused(ticket({ startedAt: 7, inFlight: 30, startedBefore: 13 }), 10, undefined);
		expect(standstill.refusedStarts).toEqual([5, 6, 7]);
		expect(standstill.fewestInFlight).toBe(17);
		expect(standstill.startedBefore).toBe(11);
		expect(standstill.wasTold).toBe(false);
	});

	it('knows that it is about the rate when as many in flight had gone well before', () => {
		const standstill = new Standstill(0);
		standstill.refused(ticket({ inFlight: 9, proven: 8 }), 0, undefined);
		expect(standstill.isAboutRate).toBe(false);
		standstill.refused(ticket({ inFlight: 8, proven: 8 }), 0, undefined);
		expect(standstill.isAboutRate).toBe(true);
	});
});
