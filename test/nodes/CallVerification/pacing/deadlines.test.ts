import { setImmediate } from 'node:timers/promises';

import { DeadlineError, deadlines } from '../../../../nodes/CallVerification/pacing/deadlines';

/** Deadlines with a manual clock and manual timers. */
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
	const withDeadline = deadlines(clock);
	/** Work that never ends by itself, and whether it still has time. */
	const endless = (limitMs: number) => {
		let signal = AbortSignal.abort();
		const result = withDeadline(limitMs, async (giveUp) => {
			signal = giveUp;
			return await new Promise<never>(() => {});
		});
		result.catch(() => {});
		return { result, hasTime: () => !signal.aborted };
	};
	return { clock, timers, withDeadline, endless };
}

describe('a deadline', () => {
	it('returns the result of work that is in time', async () => {
		const { withDeadline } = byHand();
		expect(await withDeadline(5000, async () => 'done')).toBe('done');
	});

	it('passes on the failure of work that fails in time', async () => {
		const { withDeadline } = byHand();
		const failure = new Error('broken');
		await expect(withDeadline(5000, async () => await Promise.reject(failure))).rejects.toBe(
			failure,
		);
	});

	it('gives up when its timer fires, and names its limit', async () => {
		const { timers, endless } = byHand();
		const { result, hasTime } = endless(1500);
		expect(hasTime()).toBe(true);
		timers[0]?.fire();
		expect(hasTime()).toBe(false);
		await expect(result).rejects.toThrow(DeadlineError);
		await expect(result).rejects.toThrow('No complete response within 1.5 s');
		await expect(result).rejects.toMatchObject({ name: 'DeadlineError', limitMs: 1500 });
	});

	it('is the reported reason, not how the work reacts to the abort', async () => {
		const { timers, withDeadline } = byHand();
		const result = withDeadline(
			1500,
			async (giveUp) =>
				await new Promise<never>((_resolve, reject) => {
					giveUp.addEventListener('abort', () => reject(new Error('canceled')));
				}),
		);
		timers[0]?.fire();
		await expect(result).rejects.toThrow(DeadlineError);
	});

	it.each([
		['result', async () => {}],
		['failure', async () => await Promise.reject(new Error('broken'))],
	])('has no effect after a %s', async (_, work) => {
		const { timers, withDeadline } = byHand();
		let signal = AbortSignal.abort();
		await withDeadline(5000, async (giveUp) => {
			signal = giveUp;
			await work();
		}).catch(() => {});
		timers[0]?.fire();
		expect(signal.aborted).toBe(false);
	});

	it('ignores a failure that comes too late', async () => {
		const unhandled = jest.fn();
		process.on('unhandledRejection', unhandled);
		const { timers, withDeadline } = byHand();
		let fail = (_error: Error) => {};
		const result = withDeadline(
			5000,
			async () =>
				await new Promise<never>((_resolve, reject) => {
					fail = reject;
				}),
		);
		timers[0]?.fire();
		await expect(result).rejects.toThrow(DeadlineError);
		fail(new Error('late'));
		await setImmediate();
		process.off('unhandledRejection', unhandled);
		expect(unhandled).not.toHaveBeenCalled();
	});
});

describe('the timers of deadlines', () => {
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
