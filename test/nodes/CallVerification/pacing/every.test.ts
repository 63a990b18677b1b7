import { every } from '../../../../nodes/CallVerification/pacing/every';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

describe('every', () => {
	it('runs a task at each interval, until told to end', async () => {
		const clock = new VirtualClock();
		const times: number[] = [];
		const end = every(clock, 10, () => times.push(clock.now()));
		await clock.advance(35);
		end();
		await clock.advance(100);
		expect(times).toEqual([10, 20, 30]);
	});
});
