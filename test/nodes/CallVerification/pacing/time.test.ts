import { setImmediate } from 'node:timers/promises';

import fc from 'fast-check';

import { VirtualClock } from '../../../../harness/simulation/virtualClock';
import {
	anyStop,
	firstFailure,
	Mutex,
	onStop,
	runInOrder,
	sleepUntilStopped,
	StoppedError,
	timeouts,
	TimeSlice,
} from '../../../../nodes/CallVerification/pacing/time';
import { isKept } from '../memory';

describe('onStop', () => {
	it('calls every callback that was not removed', () => {
		const stop = new AbortController();
		const calls: string[] = [];
		onStop(stop.signal, () => calls.push('a'));
		const forget = onStop(stop.signal, () => calls.push('b'));
		onStop(stop.signal, () => calls.push('c'));
		forget();
		expect(calls).toEqual([]);
		stop.abort();
		expect(calls).toEqual(['a', 'c']);
	});

	it('keeps a single listener for all, so that Node.js suspects no leak', () => {
		const stop = new AbortController();
		const add = jest.spyOn(stop.signal, 'addEventListener');
		for (let i = 0; i < 20; i++) onStop(stop.signal, () => {});
		expect(add).toHaveBeenCalledTimes(1);
	});

	it('never calls back without a signal', () => {
		const callback = jest.fn();
		onStop(undefined, callback)();
		expect(callback).not.toHaveBeenCalled();
	});
});

describe('anyStop', () => {
	it.each([0, 1])('aborts with signal %i', (which) => {
		const stops = [new AbortController(), new AbortController()];
		const { stop } = anyStop(...stops.map(({ signal }) => signal), undefined);
		expect(stop.aborted).toBe(false);
		stops[which]?.abort();
		expect(stop.aborted).toBe(true);
	});

	it('is aborted from the start if a signal already is', () => {
		expect(anyStop(undefined, AbortSignal.abort()).stop.aborted).toBe(true);
	});

	it('no longer aborts once forgotten', () => {
		const first = new AbortController();
		const { stop, forget } = anyStop(first.signal, undefined);
		forget();
		first.abort();
		expect(stop.aborted).toBe(false);
	});
});

describe('sleepUntilStopped', () => {
	it.each([
		['without a signal', undefined],
		['with a signal that stays quiet', new AbortController().signal],
	])('sleeps to the end %s', async (_, stop) => {
		const clock = new VirtualClock(0);
		await clock.runUntil(sleepUntilStopped(clock, 300, stop));
		expect(clock.now()).toBe(300);
	});

	it('wakes at a stop', async () => {
		const clock = new VirtualClock(0);
		const stop = new AbortController();
		const woken = jest.fn();
		void sleepUntilStopped(clock, 300, stop.signal).then(woken);
		await clock.advance(100);
		expect(woken).not.toHaveBeenCalled();
		stop.abort();
		await clock.advance(0);
		expect(woken).toHaveBeenCalled();
	});

	it('does not sleep after a stop', async () => {
		const clock = new VirtualClock(0);
		await sleepUntilStopped(clock, 300, AbortSignal.abort());
		expect(clock.now()).toBe(0);
	});
});

/** Timeouts with a manual clock and manual timers. */
function byHand() {
	const timers: Array<{ milliseconds: number; fire: () => void }> = [];
	const clock = {
		time: 1000,
		now: () => clock.time,
		timer: (milliseconds: number) => {
			const controller = new AbortController();
			timers.push({ milliseconds, fire: () => controller.abort() });
			return controller.signal;
		},
	};
	const withTimeout = timeouts(clock, () => new Error('too late'));
	/** Work that never ends by itself, and whether it still has time. */
	const endless = (limitMs: number) => {
		let signal = AbortSignal.abort();
		const result = withTimeout(limitMs, async (abort) => {
			signal = abort;
			return await new Promise<never>(() => {});
		});
		result.catch(() => {});
		return { result, hasTime: () => !signal.aborted };
	};
	return { clock, timers, withTimeout, endless };
}

describe('a timeout', () => {
	it('returns the result of work that is in time', async () => {
		const { withTimeout } = byHand();
		expect(await withTimeout(5000, async () => 'done')).toBe('done');
	});

	it('passes on the failure of work that fails in time', async () => {
		const { withTimeout } = byHand();
		const failure = new Error('broken');
		await expect(withTimeout(5000, async () => await Promise.reject(failure))).rejects.toBe(
			failure,
		);
	});

	it('keeps nothing of work that is done, although its timer still runs', async () => {
		const { timers, withTimeout } = byHand();
		const work = async () => {
			const result = {};
			await withTimeout(5000, async () => result);
			return new WeakRef(result);
		};
		expect(await isKept(await work())).toBe(false);
		expect(timers).toHaveLength(1);
	});

	it('gives up when its timer fires, with the given error', async () => {
		const { timers, endless } = byHand();
		const { result, hasTime } = endless(1500);
		expect(hasTime()).toBe(true);
		timers[0]?.fire();
		expect(hasTime()).toBe(false);
		await expect(result).rejects.toThrow('too late');
	});

	it('is the reported reason, not how the work reacts to the abort', async () => {
		const { timers, withTimeout } = byHand();
		const result = withTimeout(
			1500,
			async (abort) =>
				await new Promise<never>((_resolve, reject) => {
					abort.addEventListener('abort', () => reject(new Error('canceled')));
				}),
		);
		timers[0]?.fire();
		await expect(result).rejects.toThrow('too late');
	});

	it.each([
		['result', async () => {}],
		['failure', async () => await Promise.reject(new Error('broken'))],
	])('has no effect after a %s', async (_, work) => {
		const { timers, withTimeout } = byHand();
		let signal = AbortSignal.abort();
		await withTimeout(5000, async (abort) => {
			signal = abort;
			await work();
		}).catch(() => {});
		timers[0]?.fire();
		expect(signal.aborted).toBe(false);
	});

	it('ignores a failure that comes too late', async () => {
		const unhandled = jest.fn();
		process.on('unhandledRejection', unhandled);
		const { timers, withTimeout } = byHand();
		let fail = (_error: Error) => {};
		const result = withTimeout(
			5000,
			async () =>
				await new Promise<never>((_resolve, reject) => {
					fail = reject;
				}),
		);
		timers[0]?.fire();
		await expect(result).rejects.toThrow('too late');
		fail(new Error('late'));
		await setImmediate();
		process.off('unhandledRejection', unhandled);
		expect(unhandled).not.toHaveBeenCalled();
	});
});

describe('the timers of timeouts', () => {
	it('serve all work that starts within a tenth of a second, and cut none short', () => {
		const { clock, timers, endless } = byHand();
		const first = endless(5000);
		clock.time += 99;
		const second = endless(5000);
		expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([5100]);
		timers[0]?.fire();
		expect([first.hasTime(), second.hasTime()]).toEqual([false, false]);
	});

	it('are not shared with work that starts later', () => {
		const { clock, timers, endless } = byHand();
		const first = endless(5000);
		clock.time += 100;
		const second = endless(5000);
		timers[0]?.fire();
		expect([first.hasTime(), second.hasTime()]).toEqual([false, true]);
		timers[1]?.fire();
		expect(second.hasTime()).toBe(false);
	});

	it('are not shared with another limit', () => {
		const { timers, endless } = byHand();
		endless(5000);
		const longer = endless(7000);
		expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([5100, 7100]);
		timers[0]?.fire();
		expect(longer.hasTime()).toBe(true);
	});
});

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

describe('VirtualClock', () => {
	it('wakes sleepers in the order of their alarms, and equal ones in the order they went to sleep', async () => {
		const clock = new VirtualClock(0);
		const woken: string[] = [];
		const sleep = async (name: string, milliseconds: number) => {
			await clock.sleep(milliseconds);
			woken.push(name + '@' + clock.now());
		};
		await clock.runUntil(
			Promise.all([sleep('a', 20), sleep('b', 10), sleep('c', 10), sleep('d', 0)]),
		);
		expect(woken).toEqual(['d@0', 'b@10', 'c@10', 'a@20']);
	});

	it('stops exactly where it is told to', async () => {
		const clock = new VirtualClock(0);
		const woken = jest.fn();
		void clock.sleep(10).then(woken);
		await clock.advance(9);
		expect(woken).not.toHaveBeenCalled();
		await clock.advance(1);
		expect(woken).toHaveBeenCalled();
		expect(clock.now()).toBe(10);
	});

	it('reports when nothing can ever happen', async () => {
		await expect(new VirtualClock().runUntil(new Promise(() => {}))).rejects.toThrow('no alarm');
	});
});
