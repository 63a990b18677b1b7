import { setImmediate } from 'node:timers/promises';

import { VirtualClock } from '../../../../harness/simulation/virtualClock';
import {
	anyStop,
	onStop,
	sleepUntilStopped,
	TimeoutError,
	timeouts,
} from '../../../../nodes/CallVerification/pacing/stop';
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
	const withTimeout = timeouts(clock);
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

	it('gives up when its timer fires, and names its limit', async () => {
		const { timers, endless } = byHand();
		const { result, hasTime } = endless(1500);
		expect(hasTime()).toBe(true);
		timers[0]?.fire();
		expect(hasTime()).toBe(false);
		await expect(result).rejects.toThrow(TimeoutError);
		await expect(result).rejects.toThrow('Not done within 1.5 s');
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
		await expect(result).rejects.toThrow(TimeoutError);
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
		await expect(result).rejects.toThrow(TimeoutError);
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
