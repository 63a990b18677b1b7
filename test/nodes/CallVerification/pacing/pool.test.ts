import fc from 'fast-check';

import {
	TimeSlice,
	firstFailure,
	Mutex,
	runInOrder,
} from '../../../../nodes/CallVerification/pacing/pool';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/stop';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

describe('runInOrder', () => {
	it('keeps the order, runs every job once and never more than its width at a time', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.nat(50), { maxLength: 40 }),
				fc.integer({ min: 1, max: 10 }),
				async (durations, width) => {
					const clock = new VirtualClock();
					const started: number[] = [];
					let underWay = 0;
					let most = 0;
					const results = await clock.runUntil(
						runInOrder({
							count: durations.length,
							width,
							clock,
							run: async (index) => {
								started.push(index);
								most = Math.max(most, ++underWay);
								await clock.sleep(durations[index] ?? 0);
								underWay--;
								return index;
							},
						}),
					);
					expect(results).toEqual(
						durations.map((_, index) => ({ status: 'fulfilled', value: index })),
					);
					expect(started).toEqual(durations.map((_, index) => index));
					expect(most).toBe(Math.min(width, durations.length));
				},
			),
		);
	});

	it('does not let one failure disturb other jobs', async () => {
		const clock = new VirtualClock();
		const results = await clock.runUntil(
			runInOrder({
				count: 3,
				width: 2,
				clock,
				run: async (index) => {
					if (index === 1) throw new Error('one');
					return index;
				},
			}),
		);
		expect(results).toEqual([
			{ status: 'fulfilled', value: 0 },
			{ status: 'rejected', reason: new Error('one') },
			{ status: 'fulfilled', value: 2 },
		]);
	});

	it('starts nothing more after a stop and waits for what is in flight', async () => {
		const clock = new VirtualClock();
		const stop = new AbortController();
		const started: number[] = [];
		const run = runInOrder({
			count: 10,
			width: 2,
			clock,
			stop: stop.signal,
			run: async (index) => {
				started.push(index);
				await clock.sleep(100);
				return index;
			},
		});
		await clock.advance(150);
		stop.abort();
		expect(await clock.runUntil(run)).toStrictEqual([
			...[0, 1, 2, 3].map((value) => ({ status: 'fulfilled', value })),
			...new Array(6).fill(undefined),
		]);
		expect(started).toEqual([0, 1, 2, 3]);
	});

	it('starts nothing at all when it was stopped before', async () => {
		const run = jest.fn();
		const clock = new VirtualClock();
		const stop = AbortSignal.abort();
		expect(await runInOrder({ count: 2, width: 1, clock, stop, run })).toStrictEqual([
			undefined,
			undefined,
		]);
		expect(run).not.toHaveBeenCalled();
	});

	it('no longer follows the stop signal once it is done', async () => {
		const clock = new VirtualClock();
		const stop = new AbortController();
		const signals: AbortSignal[] = [];
		const run = async (_index: number, signal: AbortSignal) => signals.push(signal);
		await clock.runUntil(runInOrder({ count: 1, width: 1, clock, stop: stop.signal, run }));
		stop.abort();
		expect(signals[0]?.aborted).toBe(false);
	});

	it('starts nothing more after the first failure when asked to, and blames the lowest', async () => {
		const clock = new VirtualClock();
		const durations = [300, 200, 100];
		const started: number[] = [];
		const results = await clock.runUntil(
			runInOrder({
				count: 10,
				width: 3,
				clock,
				stopOnFailure: true,
				run: async (index) => {
					started.push(index);
					await clock.sleep(durations[index] ?? 0);
					if (index > 0) throw new Error(String(index));
					return index;
				},
			}),
		);
		expect(started).toEqual([0, 1, 2]);
		expect(results[0]).toEqual({ status: 'fulfilled', value: 0 });
		expect(results[3]).toBeUndefined();
		expect(firstFailure(results)).toEqual({ index: 1, error: new Error('1') });
	});

	it('continues after a failure when not asked to stop', async () => {
		const clock = new VirtualClock();
		const results = await clock.runUntil(
			runInOrder({
				count: 3,
				width: 1,
				clock,
				run: async () => await Promise.reject(new Error('all')),
			}),
		);
		expect(results.every((result) => result?.status === 'rejected')).toBe(true);
	});

	it('tells jobs in flight about the stop and does not count those that had not started', async () => {
		const clock = new VirtualClock();
		const results = await clock.runUntil(
			runInOrder({
				count: 4,
				width: 2,
				clock,
				stopOnFailure: true,
				run: async (index, stop) => {
					await clock.sleep(index === 1 ? 10 : 20);
					if (stop.aborted) throw new StoppedError();
					throw new Error(String(index));
				},
			}),
		);
		expect(results).toEqual([
			undefined,
			{ status: 'rejected', reason: new Error('1') },
			undefined,
			undefined,
		]);
	});

	it('never works longer than ten milliseconds and one job without a pause, in all lanes together', async () => {
		const clock = new VirtualClock();
		let stretch = 0;
		let longest = 0;
		const measured = {
			now: () => clock.now(),
			wallTime: () => clock.wallTime(),
			timer: (milliseconds: number) => clock.timer(milliseconds),
			sleep: async (milliseconds: number) => {
				await clock.sleep(milliseconds);
				stretch = 0;
			},
		};
		await clock.runUntil(
			runInOrder({
				count: 500,
				width: 64,
				clock: measured,
				run: async () => {
					clock.spend(3);
					stretch += 3;
					longest = Math.max(longest, stretch);
				},
			}),
		);
		expect(longest).toBe(12);
	});

	it('does not pause after work that takes no time', async () => {
		const clock = new VirtualClock();
		const sleep = jest.spyOn(clock, 'sleep');
		await clock.runUntil(runInOrder({ count: 1000, width: 4, clock, run: async () => 1 }));
		expect(sleep).not.toHaveBeenCalled();
	});
});

describe('firstFailure', () => {
	it('is undefined when everything succeeded or never ran', () => {
		expect(firstFailure([{ status: 'fulfilled', value: 1 }, undefined])).toBeUndefined();
	});
});

describe('a time slice', () => {
	it('is over after ten milliseconds of work, and so is the next one', async () => {
		const clock = new VirtualClock();
		const slice = new TimeSlice(clock);
		clock.spend(9);
		expect(slice.isOver).toBe(false);
		clock.spend(1);
		expect(slice.isOver).toBe(true);

		await clock.runUntil(slice.next());
		expect(slice.isOver).toBe(false);
		clock.spend(10);
		expect(slice.isOver).toBe(true);
	});

	it('begins after one pause for all who wait for it', async () => {
		const clock = new VirtualClock();
		const sleep = jest.spyOn(clock, 'sleep');
		const slice = new TimeSlice(clock);
		await clock.runUntil(Promise.all([slice.next(), slice.next()]));
		expect(sleep).toHaveBeenCalledTimes(1);
		await clock.runUntil(slice.next());
		expect(sleep.mock.calls).toEqual([[0], [0]]);
	});
});

describe('a mutex', () => {
	it('runs tasks with one key one after the other, and others beside them', async () => {
		const mutex = new Mutex();
		const log: string[] = [];
		const task = (name: string) => async () => {
			log.push(`${name} begins`);
			await Promise.resolve();
			await Promise.resolve();
			log.push(`${name} ends`);
			return name;
		};
		const done = [
			mutex.run('row', task('a')),
			mutex.run('row', task('b')),
			mutex.run('other', task('c')),
		];
		expect(await Promise.all(done)).toEqual(['a', 'b', 'c']);
		expect(log.indexOf('a ends')).toBeLessThan(log.indexOf('b begins'));
		expect(log.indexOf('c begins')).toBeLessThan(log.indexOf('a ends'));
	});

	it('goes on after a task that failed', async () => {
		const mutex = new Mutex();
		const failed = mutex.run('row', async () => await Promise.reject(new Error('no')));
		const next = mutex.run('row', async () => await Promise.resolve('yes'));
		await expect(failed).rejects.toThrow('no');
		expect(await next).toBe('yes');
	});
});
