import { GiveUp } from '../../../../nodes/CallVerification/pacing/giveUp';
import type { Outcome } from '../../../../nodes/CallVerification/pacing/requestQueue';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

const LIMIT = 300_000;

function setUp() {
	const clock = new VirtualClock();
	const giveUp = new GiveUp(clock, LIMIT);
	/** A request with this immediate outcome. */
	const send = (outcome: Outcome) => {
		giveUp.sent();
		giveUp.observe(outcome);
	};
	const fail = (retryAfterMs?: number) => send({ kind: 'overloaded', error: 'down', retryAfterMs });
	const refuseAll = () => send({ kind: 'refusesAll', error: 'wrong key' });
	const respond = () => send({ kind: 'ok' });
	return { clock, giveUp, send, fail, refuseAll, respond };
}

describe('a run without a response', () => {
	it('gives up exactly at its limit', async () => {
		const { clock, giveUp, fail } = setUp();
		fail();
		await clock.advance(LIMIT - 1);
		expect(giveUp.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(giveUp.signal.aborted).toBe(true);
		expect(giveUp.reason).toEqual({
			kind: 'noResponse',
			error: 'down',
			since: Date.UTC(2030, 0, 1),
			retryAfterMs: undefined,
		});
	});

	it('counts from the start of the first request, even while that is in flight', async () => {
		const { clock, giveUp } = setUp();
		await clock.advance(30_000);
		giveUp.sent();
		await clock.advance(10_000);
		giveUp.sent();
		expect(giveUp.noResponse).toEqual({ forMs: 10_000, leftMs: LIMIT - 10_000 });
		await clock.advance(LIMIT - 10_000);
		expect(giveUp.reason).toMatchObject({ since: Date.UTC(2030, 0, 1, 0, 0, 30) });
	});

	it('counts from the last response, while others are in flight', async () => {
		const { clock, giveUp, respond } = setUp();
		giveUp.sent();
		await clock.advance(20_000);
		respond();
		await clock.advance(10_000);
		expect(giveUp.noResponse).toEqual({ forMs: 10_000, leftMs: LIMIT - 10_000 });
	});

	it('starts over with every response', async () => {
		const { clock, giveUp, fail, respond } = setUp();
		for (let minute = 0; minute < 60; minute++) {
			fail();
			await clock.advance(60_000);
			respond();
		}
		expect(giveUp.noResponse).toBeUndefined();
		fail();
		await clock.advance(LIMIT - 1);
		expect(giveUp.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(giveUp.signal.aborted).toBe(true);
	});

	it('never gives up while no request is made', async () => {
		const { clock, giveUp, respond } = setUp();
		respond();
		await clock.advance(10 * LIMIT);
		expect(giveUp.noResponse).toBeUndefined();
		expect(giveUp.signal.aborted).toBe(false);
	});

	it('gives up at once when the service asks for a longer pause than is left', async () => {
		const { clock, giveUp, fail } = setUp();
		fail();
		await clock.advance(100_000);
		fail(200_000);
		expect(giveUp.signal.aborted).toBe(false);
		fail(200_001);
		expect(giveUp.reason).toMatchObject({ retryAfterMs: 200_001 });
		expect(giveUp.signal.aborted).toBe(true);
	});

	it('knows the last error', async () => {
		const { clock, giveUp, fail, send } = setUp();
		fail();
		send({ kind: 'rateLimited', error: 'still down' });
		await clock.advance(LIMIT);
		expect(giveUp.reason).toMatchObject({ error: 'still down' });
	});

	it('ignores everything once it has given up', async () => {
		const { clock, giveUp, fail, respond } = setUp();
		fail();
		await clock.advance(LIMIT);
		respond();
		expect(giveUp.reason?.kind).toBe('noResponse');
		expect(giveUp.noResponse).toBeUndefined();
	});

	it('tells the time by the wall clock and measures it by another', async () => {
		const { clock, giveUp, fail } = setUp();
		fail();
		clock.setBack(3_600_000);
		await clock.advance(LIMIT);
		expect(giveUp.reason).toMatchObject({ since: Date.UTC(2030, 0, 1) - 3_600_000 });
	});
});

describe('a run in which every request is refused', () => {
	it('gives up with the tenth in a row', () => {
		const { giveUp, refuseAll } = setUp();
		for (let times = 0; times < 9; times++) refuseAll();
		expect(giveUp.signal.aborted).toBe(false);
		refuseAll();
		expect(giveUp.reason).toEqual({ kind: 'refusesAll', error: 'wrong key', times: 10 });
	});

	it('starts over with any other response, but not without one', () => {
		const { giveUp, refuseAll, respond, fail } = setUp();
		for (let times = 0; times < 9; times++) refuseAll();
		respond();
		for (let times = 0; times < 9; times++) refuseAll();
		expect(giveUp.signal.aborted).toBe(false);
		fail();
		refuseAll();
		expect(giveUp.signal.aborted).toBe(true);
	});

	it('is not without a response', async () => {
		const { clock, giveUp, fail, refuseAll } = setUp();
		fail();
		refuseAll();
		await clock.advance(2 * LIMIT);
		expect(giveUp.signal.aborted).toBe(false);
	});
});

describe('a single request', () => {
	it('is hopeless after ten refusals in a minute', () => {
		const { giveUp } = setUp();
		expect(giveUp.isHopeless(9, 600_000)).toBe(false);
		expect(giveUp.isHopeless(10, 59_999)).toBe(false);
		expect(giveUp.isHopeless(10, 60_000)).toBe(true);
	});

	it('is hopeless sooner when the run has a shorter limit', () => {
		const giveUp = new GiveUp(new VirtualClock(), 10_000);
		expect(giveUp.isHopeless(10, 1_999)).toBe(false);
		expect(giveUp.isHopeless(10, 2_000)).toBe(true);
	});

	it('is hopeless after three when there was no response for a quarter of the time', async () => {
		const { clock, giveUp, fail } = setUp();
		fail();
		await clock.advance(LIMIT / 4 - 1);
		expect(giveUp.isHopeless(3, 1_000)).toBe(false);
		await clock.advance(1);
		expect(giveUp.isHopeless(2, 1_000)).toBe(false);
		expect(giveUp.isHopeless(3, 1_000)).toBe(true);
	});
});
