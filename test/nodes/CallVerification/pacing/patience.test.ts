import { type Outcome, Patience } from '../../../../nodes/CallVerification/pacing/patience';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

const LIMIT = 300_000;

function setUp() {
	const clock = new VirtualClock();
	const patience = new Patience(clock, LIMIT);
	/** A request with this immediate outcome. */
	const ask = (outcome: Outcome) => {
		patience.asked();
		patience.observe(outcome);
	};
	const silence = (retryAfterMs?: number) => ask({ kind: 'silence', error: 'down', retryAfterMs });
	const denial = () => ask({ kind: 'denial', error: 'wrong key' });
	const answer = () => ask({ kind: 'answer' });
	return { clock, patience, ask, silence, denial, answer };
}

describe('patience with silence', () => {
	it('ends exactly when nothing was heard for its limit', async () => {
		const { clock, patience, silence } = setUp();
		silence();
		await clock.advance(LIMIT - 1);
		expect(patience.over.aborted).toBe(false);
		await clock.advance(1);
		expect(patience.over.aborted).toBe(true);
		expect(patience.givenUp).toEqual({
			reason: 'silence',
			error: 'down',
			since: Date.UTC(2030, 0, 1),
			retryAfterMs: undefined,
		});
	});

	it('counts from the start of the first request, even while that is in flight', async () => {
		const { clock, patience } = setUp();
		await clock.advance(30_000);
		patience.asked();
		await clock.advance(10_000);
		patience.asked();
		expect(patience.silence).toEqual({ forMs: 10_000, leftMs: LIMIT - 10_000 });
		await clock.advance(LIMIT - 10_000);
		expect(patience.givenUp).toMatchObject({ since: Date.UTC(2030, 0, 1, 0, 0, 30) });
	});

	it('counts from the last answer, while others are in flight', async () => {
		const { clock, patience, answer } = setUp();
		patience.asked();
		await clock.advance(20_000);
		answer();
		await clock.advance(10_000);
		expect(patience.silence).toEqual({ forMs: 10_000, leftMs: LIMIT - 10_000 });
	});

	it('starts over with every answer', async () => {
		const { clock, patience, silence, answer } = setUp();
		for (let minute = 0; minute < 60; minute++) {
			silence();
			await clock.advance(60_000);
			answer();
		}
		expect(patience.silence).toBeUndefined();
		silence();
		await clock.advance(LIMIT - 1);
		expect(patience.over.aborted).toBe(false);
		await clock.advance(1);
		expect(patience.over.aborted).toBe(true);
	});

	it('does not run out while no request is made', async () => {
		const { clock, patience, answer } = setUp();
		answer();
		await clock.advance(10 * LIMIT);
		expect(patience.silence).toBeUndefined();
		expect(patience.over.aborted).toBe(false);
	});

	it('ends at once when the service asks for a longer pause than is left', async () => {
		const { clock, patience, silence } = setUp();
		silence();
		await clock.advance(100_000);
		silence(200_000);
		expect(patience.over.aborted).toBe(false);
		silence(200_001);
		expect(patience.givenUp).toMatchObject({ retryAfterMs: 200_001 });
		expect(patience.over.aborted).toBe(true);
	});

	it('knows the last error', async () => {
		const { clock, patience, silence, ask } = setUp();
		silence();
		ask({ kind: 'silence', error: 'still down' });
		await clock.advance(LIMIT);
		expect(patience.givenUp).toMatchObject({ error: 'still down' });
	});

	it('ignores everything once it has ended', async () => {
		const { clock, patience, silence, answer } = setUp();
		silence();
		await clock.advance(LIMIT);
		answer();
		expect(patience.givenUp?.reason).toBe('silence');
		expect(patience.silence).toBeUndefined();
	});

	it('tells the time by the wall clock and measures it by another', async () => {
		const { clock, patience, silence } = setUp();
		silence();
		clock.setBack(3_600_000);
		await clock.advance(LIMIT);
		expect(patience.givenUp).toMatchObject({ since: Date.UTC(2030, 0, 1) - 3_600_000 });
	});
});

describe('patience with denials', () => {
	it('ends with the tenth in a row', () => {
		const { patience, denial } = setUp();
		for (let times = 0; times < 9; times++) denial();
		expect(patience.over.aborted).toBe(false);
		denial();
		expect(patience.givenUp).toEqual({ reason: 'denial', error: 'wrong key', times: 10 });
	});

	it('starts over with any other answer, but not with silence', () => {
		const { patience, denial, answer, silence } = setUp();
		for (let times = 0; times < 9; times++) denial();
		answer();
		for (let times = 0; times < 9; times++) denial();
		expect(patience.over.aborted).toBe(false);
		silence();
		denial();
		expect(patience.over.aborted).toBe(true);
	});

	it('is not silence', async () => {
		const { clock, patience, silence, denial } = setUp();
		silence();
		denial();
		await clock.advance(2 * LIMIT);
		expect(patience.over.aborted).toBe(false);
	});
});

describe('patience with one request', () => {
	it('ends after ten refusals in a minute', () => {
		const { patience } = setUp();
		expect(patience.isSpentOn(9, 600_000)).toBe(false);
		expect(patience.isSpentOn(10, 59_999)).toBe(false);
		expect(patience.isSpentOn(10, 60_000)).toBe(true);
	});

	it('is shorter when the run has less left', () => {
		const patience = new Patience(new VirtualClock(), 10_000);
		expect(patience.isSpentOn(10, 1_999)).toBe(false);
		expect(patience.isSpentOn(10, 2_000)).toBe(true);
	});

	it('ends after three refusals when nothing was answered for a quarter of the time', async () => {
		const { clock, patience, silence } = setUp();
		silence();
		await clock.advance(LIMIT / 4 - 1);
		expect(patience.isSpentOn(3, 1_000)).toBe(false);
		await clock.advance(1);
		expect(patience.isSpentOn(2, 1_000)).toBe(false);
		expect(patience.isSpentOn(3, 1_000)).toBe(true);
	});
});
