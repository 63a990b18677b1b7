import { Patience } from '../../../../nodes/CallVerification/runtime/patience';
import { VirtualClock } from './virtualClock';

const LIMIT = 300_000;

function setUp() {
	const clock = new VirtualClock();
	const patience = new Patience(clock, LIMIT);
	const silence = (startedAt = clock.now(), retryAfterMs?: number) =>
		patience.observe({ kind: 'silence', error: 'down', startedAt, retryAfterMs });
	const denial = () => patience.observe({ kind: 'denial', error: 'wrong key' });
	const answer = () => patience.observe({ kind: 'answer' });
	return { clock, patience, silence, denial, answer };
}

describe('patience with silence', () => {
	it('ends when nothing was heard for so long, and not a moment before', async () => {
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

	it('counts from the start of the first request that got no answer', async () => {
		const { clock, patience, silence } = setUp();
		await clock.advance(30_000);
		silence(0);
		expect(patience.silence).toEqual({ forMs: 30_000, leftMs: LIMIT - 30_000 });
		await clock.advance(LIMIT - 30_000);
		expect(patience.over.aborted).toBe(true);
	});

	it('counts from the last answer, where that came later', async () => {
		const { clock, patience, silence, answer } = setUp();
		await clock.advance(20_000);
		answer();
		await clock.advance(10_000);
		silence(0);
		expect(patience.silence).toEqual({ forMs: 10_000, leftMs: LIMIT - 10_000 });
	});

	it('starts anew with every answer', async () => {
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

	it('does not run out while nobody asks', async () => {
		const { clock, patience, answer } = setUp();
		answer();
		await clock.advance(10 * LIMIT);
		expect(patience.silence).toBeUndefined();
		expect(patience.over.aborted).toBe(false);
	});

	it('ends at once when the service wants to be left alone for longer than is left', async () => {
		const { clock, patience, silence } = setUp();
		silence();
		await clock.advance(100_000);
		silence(clock.now(), 200_000);
		expect(patience.over.aborted).toBe(false);
		silence(clock.now(), 200_001);
		expect(patience.givenUp).toMatchObject({ retryAfterMs: 200_001 });
		expect(patience.over.aborted).toBe(true);
	});

	it('ends at once when a request took so long that no time is left', async () => {
		const { clock, patience, silence } = setUp();
		await clock.advance(LIMIT);
		silence(0);
		expect(patience.over.aborted).toBe(true);
	});

	it('knows the last that was said', async () => {
		const { clock, patience, silence } = setUp();
		silence();
		patience.observe({ kind: 'silence', error: 'still down', startedAt: clock.now() });
		await clock.advance(LIMIT);
		expect(patience.givenUp).toMatchObject({ error: 'still down' });
	});

	it('hears nothing any more once it has ended', async () => {
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

	it('starts anew with any other answer, and not with silence', () => {
		const { patience, denial, answer, silence } = setUp();
		for (let times = 0; times < 9; times++) denial();
		answer();
		for (let times = 0; times < 9; times++) denial();
		expect(patience.over.aborted).toBe(false);
		silence();
		denial();
		expect(patience.over.aborted).toBe(true);
	});

	it('is no silence', async () => {
		const { clock, patience, silence, denial } = setUp();
		silence();
		denial();
		await clock.advance(2 * LIMIT);
		expect(patience.over.aborted).toBe(false);
	});
});
