import fc from 'fast-check';

import { VirtualClock } from '../../../virtualClock';
import { fixedWidth } from '../../../../nodes/CallVerification/pacing/limit';
import { rateLimit } from '../../../../nodes/CallVerification/pacing/rateLimit';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/time';

/** Without any other limit. Nothing leaves it. */
const paced = (clock: VirtualClock, perSecond: number, account = 'account') => {
	const limit = fixedWidth(clock, Infinity, rateLimit(clock, perSecond, account));
	return async (stop?: AbortSignal) => void (await limit.enter(stop));
};

/** Starts this many, and returns when. */
const times = async (clock: VirtualClock, limit: () => Promise<void>, count: number) =>
	await Promise.all(
		Array.from({ length: count }, async () => {
			await limit();
			return clock.now();
		}),
	);

it('a rate limit does not make up for unused time', async () => {
	const clock = new VirtualClock(0);
	const limit = paced(clock, 1);
	expect(await times(clock, limit, 1)).toEqual([0]);
	await clock.advance(10_000);
	expect(await clock.runUntil(times(clock, limit, 2))).toEqual([10_000, 11_000]);
});

describe('the runs of an account', () => {
	it('share one rate, and alternate', async () => {
		const clock = new VirtualClock(0);
		const runs = [2, 2, 2].map((perSecond) => paced(clock, perSecond));
		const all = await clock.runUntil(
			Promise.all(runs.map(async (limit) => await times(clock, limit, 3))),
		);
		expect(all).toEqual([
			[0, 500, 2_000],
			[1_000, 2_500, 3_500],
			[1_500, 3_000, 4_000],
		]);
	});

	it('keep their own gap to whatever came before, whatever the rates and arrivals', async () => {
		const rate = fc.integer({ min: 1, max: 50 });
		const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(400)), { minLength: 1, maxLength: 20 });
		const runs = fc.array(fc.tuple(rate, pauses), { minLength: 1, maxLength: 5 });
		await fc.assert(
			fc.asyncProperty(runs, async (all) => {
				const clock = new VirtualClock(0);
				const started: Array<{ at: number; gap: number }> = [];
				const run = async ([perSecond, arrivals]: [number, number[]]) => {
					const limit = paced(clock, perSecond);
					const waiting: Array<Promise<void>> = [];
					for (const pause of arrivals) {
						if (pause > 0) await clock.sleep(pause);
						const start = () => void started.push({ at: clock.now(), gap: 1_000 / perSecond });
						waiting.push(limit().then(start));
					}
					await Promise.all(waiting);
				};
				await clock.runUntil(Promise.all(all.map(run)));
				expect(started).toHaveLength(all.flatMap(([, arrivals]) => arrivals).length);
				for (const [index, { at, gap }] of started.entries()) {
					const before = started[index - 1]?.at ?? -Infinity;
					expect(at - before).toBeGreaterThanOrEqual(gap - 1e-6);
				}
			}),
		);
	});

	it('start no burst after the machine stood still', async () => {
		const clock = new VirtualClock(0);
		const waiting = times(clock, paced(clock, 1), 4);
		const busy = clock.sleep(500).then(() => clock.spend(10_000));
		await clock.runUntil(Promise.all([waiting, busy]));
		expect(await waiting).toEqual([0, 10_500, 11_500, 12_500]);
	});

	it('are remembered until the next may start, even if that takes longer than an hour', async () => {
		const clock = new VirtualClock(0);
		const everyTwoHours = 1 / 7_200;
		await paced(clock, everyTwoHours)();
		await clock.advance(5_400_000);
		const starts = times(clock, paced(clock, everyTwoHours), 1);
		expect(await clock.runUntil(starts)).toEqual([7_200_000]);
	});

	it('do not use a start that was reserved for a stopped request', async () => {
		const clock = new VirtualClock(0);
		const [first, second] = [paced(clock, 1), paced(clock, 1)];
		const stop = new AbortController();
		await first();
		const stopped = expect(first(stop.signal)).rejects.toThrow(StoppedError);
		const other = times(clock, second, 1);
		stop.abort();
		await stopped;
		await clock.advance(2_500);
		expect(await other).toEqual([2_000]);
		expect(await clock.runUntil(times(clock, first, 1))).toEqual([3_000]);
	});
});

describe('a paced request', () => {
	it('takes no slot before its start, and none if it is stopped before that', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedWidth(clock, 1, rateLimit(clock, 1, 'account'));
		(await limit.enter())({ kind: 'ok' });
		const stop = new AbortController();
		const waiting = expect(limit.enter(stop.signal)).rejects.toThrow(StoppedError);
		expect(limit.isCalm).toBe(true);
		stop.abort();
		await waiting;
		await clock.runUntil(limit.enter());
		expect(clock.now()).toBe(1_000);
	});

	it('leaves its start to another run if it is stopped before that', async () => {
		const clock = new VirtualClock(0);
		await paced(clock, 1)();
		const stop = new AbortController();
		const stopped = expect(paced(clock, 1)(stop.signal)).rejects.toThrow(StoppedError);
		stop.abort();
		await stopped;
		await clock.advance(1_000);
		await clock.runUntil(paced(clock, 1)());
		expect(clock.now()).toBe(1_000);
	});

	it('waits out a pause that begins while it waits for its start, and then for a new start', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedWidth(clock, 2, rateLimit(clock, 1, 'account'));
		const first = await limit.enter();
		const second = limit.enter();
		first({ kind: 'rateLimited', retryAfterMs: 10_000 });
		await clock.advance(9_500);
		await paced(clock, 1)();
		await clock.runUntil(second);
		expect(clock.now()).toBe(10_500);
	});

	it('starts on time when timers fire a little early', async () => {
		const clock = new VirtualClock(0);
		const sleep = jest.fn(async (ms: number) => await clock.sleep(Math.max(0.1, ms - 0.5)));
		const early = Object.assign(Object.create(clock) as VirtualClock, { sleep });
		const limit = fixedWidth(early, Infinity, rateLimit(early, 100, 'account'));
		const starts = Array.from({ length: 4 }, async () => {
			await limit.enter();
			return clock.now();
		});
		expect(await clock.runUntil(Promise.all(starts))).toEqual([0, 9.5, 19.5, 29.5]);
		expect(sleep).toHaveBeenCalledTimes(3);
	});
});
