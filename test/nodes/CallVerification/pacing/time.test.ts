import { setImmediate } from 'node:timers/promises';

import fc from 'fast-check';

import { VirtualClock } from '../../../virtualClock';
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
			return await new Promise<never>((_resolve, reject) => {
				abort.addEventListener('abort', () => reject(new Error('canceled')));
			});
		});
		result.catch(() => {});
		return { result, hasTime: () => !signal.aborted };
	};
	return { clock, timers, withTimeout, endless };
}

describe('a timeout', () => {
	it('passes on the result or failure of work that is in time', async () => {
		const { withTimeout } = byHand();
		expect(await withTimeout(5000, async () => 'done')).toBe('done');
		const failing = withTimeout(5000, async () => await Promise.reject(new Error('broken')));
		await expect(failing).rejects.toThrow('broken');
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

	it('gives up when its timer fires, with the given error, however the work takes the abort', async () => {
		const { timers, endless } = byHand();
		const { result, hasTime } = endless(1500);
		expect(hasTime()).toBe(true);
		timers[0]?.fire();
		expect(hasTime()).toBe(false);
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

describe('a timer', () => {
	it.each([
		[
			'serves all work that starts within a tenth of a second, and cuts none short',
			99,
			5000,
			[5100],
		],
		['is not shared with work that starts later', 100, 5000, [5100, 5100]],
		['is not shared with another limit', 0, 7000, [5100, 7100]],
	])('%s', (_what, passed, limitMs, lengths) => {
		const { clock, timers, endless } = byHand();
		const first = endless(5000);
		clock.time += passed;
		const second = endless(limitMs);
		expect(timers.map(({ milliseconds }) => milliseconds)).toEqual(lengths);
		timers[0]?.fire();
		expect([first.hasTime(), second.hasTime()]).toEqual([false, lengths.length > 1]);
		timers[1]?.fire();
		expect(second.hasTime()).toBe(false);
	});
});

/** Jobs on a clock of their own: each takes as long as it says, and fails if it says so. */
function runJobs<T>(
	job: (index: number, stop: AbortSignal, clock: VirtualClock) => Promise<T>,
	jobs: { count: number; width: number; stop?: AbortSignal; stopOnFailure?: boolean },
) {
	const clock = new VirtualClock();
	const started: number[] = [];
	const run = async (index: number, stop: AbortSignal) => {
		started.push(index);
		return await job(index, stop, clock);
	};
	const running = runInOrder({ ...jobs, clock, run });
	return { clock, started, results: async () => await clock.runUntil(running) };
}
describe('runInOrder', () => {
	it('keeps the order, runs every job once and never more than its width at a time', async () => {
		const list = fc.array(fc.nat(50), { maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(list, fc.integer({ min: 1, max: 10 }), async (durations, width) => {
				const count = durations.length;
				let underWay = 0;
				let most = 0;
				const job = async (index: number, _stop: AbortSignal, clock: VirtualClock) => {
					most = Math.max(most, ++underWay);
					await clock.sleep(durations[index] ?? 0);
					underWay--;
					return index;
				};
				const { started, results } = runJobs(job, { count, width });
				expect(await results()).toEqual(
					durations.map((_, index) => ({ status: 'fulfilled', value: index })),
				);
				expect(started).toEqual(durations.map((_, index) => index));
				expect(most).toBe(Math.min(width, count));
			}),
		);
	});

	it('continues after a failure, which does not disturb other jobs', async () => {
		const job = async (index: number) =>
			index === 1 ? await Promise.reject(new Error('one')) : index;
		expect(await runJobs(job, { count: 3, width: 1 }).results()).toEqual([
			{ status: 'fulfilled', value: 0 },
			{ status: 'rejected', reason: new Error('one') },
			{ status: 'fulfilled', value: 2 },
		]);
	});

	it('starts nothing more after a stop and waits for what is in flight', async () => {
		const stop = new AbortController();
		const { clock, started, results } = runJobs(
			async (index, _stop, time) => {
				await time.sleep(100);
				return index;
			},
			{ count: 10, width: 2, stop: stop.signal },
		);
		await clock.advance(150);
		stop.abort();
		expect(await results()).toStrictEqual([
			...[0, 1, 2, 3].map((value) => ({ status: 'fulfilled', value })),
			...new Array(6).fill(undefined),
		]);
		expect(started).toEqual([0, 1, 2, 3]);
	});

	it('starts nothing at all when it was stopped before', async () => {
		const stop = AbortSignal.abort();
		const { started, results } = runJobs(async () => {}, { count: 2, width: 1, stop });
		expect(await results()).toStrictEqual([undefined, undefined]);
		expect(started).toEqual([]);
	});

	it('no longer follows the stop signal once it is done', async () => {
		const stop = new AbortController();
		const job = async (_index: number, signal: AbortSignal) => signal;
		const [result] = await runJobs(job, { count: 1, width: 1, stop: stop.signal }).results();
		stop.abort();
		expect(result).toMatchObject({ value: { aborted: false } });
	});

	it('starts nothing more after the first failure when asked to, and blames the lowest', async () => {
		const durations = [300, 200, 100];
		const { started, results } = runJobs(
			async (index, _stop, clock) => {
				await clock.sleep(durations[index] ?? 0);
				if (index > 0) throw new Error(String(index));
				return index;
			},
			{ count: 10, width: 3, stopOnFailure: true },
		);
		const all = await results();
		expect(started).toEqual([0, 1, 2]);
		expect(all[0]).toEqual({ status: 'fulfilled', value: 0 });
		expect(all[3]).toBeUndefined();
		expect(firstFailure(all)).toEqual({ index: 1, error: new Error('1') });
	});

	it('tells jobs in flight about the stop and does not count those that had not started', async () => {
		const { results } = runJobs(
			async (index, stop, clock) => {
				await clock.sleep(index === 1 ? 10 : 20);
				if (stop.aborted) throw new StoppedError();
				throw new Error(String(index));
			},
			{ count: 4, width: 2, stopOnFailure: true },
		);
		const failed = { status: 'rejected', reason: new Error('1') };
		expect(await results()).toEqual([undefined, failed, undefined, undefined]);
	});

	it('never works longer than ten milliseconds and one job without a pause, in all lanes together', async () => {
		const clock = new VirtualClock();
		const sleep = clock.sleep.bind(clock);
		let pausedAt = 0;
		let longest = 0;
		jest.spyOn(clock, 'sleep').mockImplementation(async (milliseconds) => {
			await sleep(milliseconds);
			pausedAt = clock.now();
		});
		const run = async () => {
			clock.spend(3);
			longest = Math.max(longest, clock.now() - pausedAt);
		};
		await clock.runUntil(runInOrder({ count: 500, width: 64, clock, run }));
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

	it('has a task wait that comes while another one, which has waited, runs', async () => {
		const mutex = new Mutex();
		let end = () => {};
		const log: string[] = [];
		const first = mutex.run('row', async () => {});
		const second = mutex.run('row', async () => {
			await new Promise<void>((resolve) => (end = resolve));
			log.push('second');
		});
		await first;
		const third = mutex.run('row', async () => log.push('third'));
		end();
		await Promise.all([second, third]);
		expect(log).toEqual(['second', 'third']);
	});

	it('keeps nothing of a key whose tasks are done', async () => {
		const mutex = new Mutex();
		await Promise.all([mutex.run('row', async () => {}), mutex.run('row', async () => {})]);
		expect(mutex).toEqual(new Mutex());
	});

	it('goes on after a task that failed', async () => {
		const mutex = new Mutex();
		const failed = mutex.run('row', async () => await Promise.reject(new Error('no')));
		const next = mutex.run('row', async () => await Promise.resolve('yes'));
		await expect(failed).rejects.toThrow('no');
		expect(await next).toBe('yes');
	});
});
