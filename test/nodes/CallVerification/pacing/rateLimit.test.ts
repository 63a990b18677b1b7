import fc from 'fast-check';
import {
	LastStarts,
	rateLimit as sharedLimit,
	type RateLimit,
} from '../../../../nodes/CallVerification/pacing/rateLimit';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/stop';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

const rateLimit = (clock: VirtualClock, perSecond: number, lastStarts = new LastStarts()) =>
	sharedLimit(clock, perSecond, { lastStarts, account: 'account' });

describe('rateLimit', () => {
	it('never allows more than its rate in any stretch of time, whatever the arrivals', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 50 }),
				fc.array(fc.nat(400), { minLength: 2, maxLength: 40 }),
				async (perSecond, pauses) => {
					const clock = new VirtualClock(0);
					const limit = rateLimit(clock, perSecond);
					const starts: number[] = [];
					const all = async () => {
						const waiting: Array<Promise<void>> = [];
						for (const pause of pauses) {
							await clock.sleep(pause);
							waiting.push(limit().then(() => void starts.push(clock.now())));
						}
						await Promise.all(waiting);
					};
					await clock.runUntil(all());
					expect(starts).toHaveLength(pauses.length);
					for (const [index, start] of starts.entries()) {
						const before = starts[index - 1] ?? -Infinity;
						expect(start - before).toBeGreaterThanOrEqual(1000 / perSecond - 1e-6);
					}
				},
			),
		);
	});

	it('spaces starts evenly and loses none', async () => {
		const clock = new VirtualClock(0);
		const limit = rateLimit(clock, 4);
		await clock.runUntil(Promise.all([limit(), limit(), limit(), limit(), limit()]));
		expect(clock.now()).toBe(1000);
	});

	it('grants the first start, and one after a long pause, at once', async () => {
		const clock = new VirtualClock(0);
		const limit = rateLimit(clock, 1);
		await limit();
		await clock.advance(1000);
		const sleep = jest.spyOn(clock, 'sleep');
		await limit();
		expect(sleep).not.toHaveBeenCalled();
		expect(clock.now()).toBe(1000);
	});

	it('does not make up for unused time', async () => {
		const clock = new VirtualClock(0);
		const limit = rateLimit(clock, 1);
		await limit();
		await clock.advance(10_000);
		await clock.runUntil(Promise.all([limit(), limit()]));
		expect(clock.now()).toBe(11_000);
	});

	it('grants no start after a stop, neither to a new request nor to a waiting one', async () => {
		const clock = new VirtualClock(0);
		const stop = new AbortController();
		const limit = rateLimit(clock, 1);
		await limit();
		const waiting = limit(stop.signal);
		stop.abort();
		await expect(waiting).rejects.toThrow(StoppedError);
		await expect(limit(stop.signal)).rejects.toThrow(StoppedError);
	});

	it('spends no start on a request that was already stopped', async () => {
		const clock = new VirtualClock(0);
		const limit = rateLimit(clock, 1);
		await expect(limit(AbortSignal.abort())).rejects.toThrow(StoppedError);
		await limit();
		expect(clock.now()).toBe(0);
	});
});

describe('the runs of an account', () => {
	/** Starts this many, and returns when. */
	const times = async (clock: VirtualClock, limit: RateLimit, count: number) =>
		await Promise.all(
			Array.from({ length: count }, async () => {
				await limit();
				return clock.now();
			}),
		);

	it('share one rate, and alternate', async () => {
		const clock = new VirtualClock(0);
		const lastStarts = new LastStarts();
		const runs = [2, 2, 2].map((perSecond) => rateLimit(clock, perSecond, lastStarts));
		const all = await clock.runUntil(
			Promise.all(runs.map(async (limit) => await times(clock, limit, 3))),
		);
		expect(all).toEqual([
			[0, 500, 2_000],
			[1_000, 2_500, 3_500],
			[1_500, 3_000, 4_000],
		]);
	});

	it('keep their own gap to whatever came before, if their rates differ', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 8 })), {
					minLength: 1,
					maxLength: 5,
				}),
				async (runs) => {
					const clock = new VirtualClock(0);
					const lastStarts = new LastStarts();
					const started: Array<{ at: number; gap: number }> = [];
					const run = async ([perSecond, count]: [number, number]) => {
						const limit = rateLimit(clock, perSecond, lastStarts);
						const one = async () => {
							await limit();
							started.push({ at: clock.now(), gap: 1_000 / perSecond });
						};
						await Promise.all(Array.from({ length: count }, one));
					};
					await clock.runUntil(Promise.all(runs.map(run)));
					for (const [index, { at, gap }] of started.entries()) {
						const before = started[index - 1]?.at ?? -Infinity;
						expect(at - before).toBeGreaterThanOrEqual(gap - 1e-6);
					}
				},
			),
		);
	});

	it('do not wait for the whole list of another', async () => {
		const clock = new VirtualClock(0);
		const lastStarts = new LastStarts();
		const list = times(clock, rateLimit(clock, 2, lastStarts), 60);
		const single = times(clock, rateLimit(clock, 2, lastStarts), 1);
		await clock.runUntil(Promise.all([list, single]));
		expect(await single).toEqual([1_000]);
	});

	it('are not slowed down by another account', async () => {
		const clock = new VirtualClock(0);
		const lastStarts = new LastStarts();
		const runs = ['a', 'b'].map((account) => sharedLimit(clock, 1, { lastStarts, account }));
		const all = runs.map(async (limit) => await times(clock, limit, 2));
		expect(await clock.runUntil(Promise.all(all))).toEqual([
			[0, 1_000],
			[0, 1_000],
		]);
	});

	it('start no burst after the machine stood still', async () => {
		const clock = new VirtualClock(0);
		const waiting = times(clock, rateLimit(clock, 1), 4);
		const busy = clock.sleep(500).then(() => clock.spend(10_000));
		await clock.runUntil(Promise.all([waiting, busy]));
		expect(await waiting).toEqual([0, 10_500, 11_500, 12_500]);
	});

	it('are forgotten after an hour, whoever comes next', async () => {
		const clock = new VirtualClock(0);
		const lastStarts = new LastStarts();
		for (const account of ['a', 'b', 'c']) lastStarts.reserve(account, clock, 10);
		await clock.advance(3_600_000 - 1);
		lastStarts.reserve('d', clock, 10);
		expect(lastStarts.size(clock)).toBe(4);
		await clock.advance(1);
		lastStarts.reserve('e', clock, 10);
		expect(lastStarts.size(clock)).toBe(2);
	});
});
