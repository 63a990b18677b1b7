import { sleepUntilStopped } from '../../../../nodes/CallVerification/pacing/sleepUntilStopped';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

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
