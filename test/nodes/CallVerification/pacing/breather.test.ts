import { Breather } from '../../../../nodes/CallVerification/pacing/breather';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

describe('a breath', () => {
	it('is due after ten milliseconds of work, and again ten after it was taken', async () => {
		const clock = new VirtualClock();
		const breather = new Breather(clock);
		clock.spend(9);
		expect(breather.isDue).toBe(false);
		clock.spend(1);
		expect(breather.isDue).toBe(true);

		await clock.runUntil(breather.breathe());
		expect(breather.isDue).toBe(false);
		clock.spend(10);
		expect(breather.isDue).toBe(true);
	});

	it('is shared by all who want it at the same time, and a new one later', async () => {
		const clock = new VirtualClock();
		const sleep = jest.spyOn(clock, 'sleep');
		const breather = new Breather(clock);
		await clock.runUntil(Promise.all([breather.breathe(), breather.breathe()]));
		expect(sleep).toHaveBeenCalledTimes(1);
		await clock.runUntil(breather.breathe());
		expect(sleep.mock.calls).toEqual([[0], [0]]);
	});
});
