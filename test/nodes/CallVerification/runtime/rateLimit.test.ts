import fc from 'fast-check';
import { rateLimit } from '../../../../nodes/CallVerification/runtime/rateLimit';
import { StoppedError } from '../../../../nodes/CallVerification/runtime/stopped';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

describe('rateLimit', () => {
	it('never allows more than its rate in any stretch of time, whatever the arrivals', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 50 }),
				fc.array(fc.nat(400), { minLength: 2, maxLength: 40 }),
				async (perSecond, pauses) => {
					const clock = new VirtualClock(0);
					const takeTurn = rateLimit(clock, perSecond);
					const turns: number[] = [];
					const all = async () => {
						const waiting: Array<Promise<void>> = [];
						for (const pause of pauses) {
							await clock.sleep(pause);
							waiting.push(takeTurn().then(() => void turns.push(clock.now())));
						}
						await Promise.all(waiting);
					};
					await clock.runUntil(all());
					expect(turns).toHaveLength(pauses.length);
					for (const [index, turn] of turns.entries()) {
						const before = turns[index - 1] ?? -Infinity;
						expect(turn - before).toBeGreaterThanOrEqual(1000 / perSecond - 1e-6);
					}
				},
			),
		);
	});

	it('spaces turns evenly and loses none', async () => {
		const clock = new VirtualClock(0);
		const takeTurn = rateLimit(clock, 4);
		await clock.runUntil(Promise.all([takeTurn(), takeTurn(), takeTurn(), takeTurn(), takeTurn()]));
		expect(clock.now()).toBe(1000);
	});

	it('grants the first turn, and one after a long pause, at once', async () => {
		const clock = new VirtualClock(0);
		const takeTurn = rateLimit(clock, 1);
		await takeTurn();
		await clock.advance(1000);
		const sleep = jest.spyOn(clock, 'sleep');
		await takeTurn();
		expect(sleep).not.toHaveBeenCalled();
		expect(clock.now()).toBe(1000);
	});

	it('does not make up for unused time', async () => {
		const clock = new VirtualClock(0);
		const takeTurn = rateLimit(clock, 1);
		await takeTurn();
		await clock.advance(10_000);
		await clock.runUntil(Promise.all([takeTurn(), takeTurn()]));
		expect(clock.now()).toBe(11_000);
	});

	it('grants no turn after a stop, neither to a new request nor to a waiting one', async () => {
		const clock = new VirtualClock(0);
		const stop = new AbortController();
		const takeTurn = rateLimit(clock, 1);
		await takeTurn();
		const waiting = takeTurn(stop.signal);
		stop.abort();
		await expect(waiting).rejects.toThrow(StoppedError);
		await expect(takeTurn(stop.signal)).rejects.toThrow(StoppedError);
	});

	it('spends no turn on a request that was already stopped', async () => {
		const clock = new VirtualClock(0);
		const takeTurn = rateLimit(clock, 1);
		await expect(takeTurn(AbortSignal.abort())).rejects.toThrow(StoppedError);
		await takeTurn();
		expect(clock.now()).toBe(0);
	});
});
