import fc from 'fast-check';
import { fixedLimit } from '../../../../nodes/CallVerification/pacing/fixedLimit';
import type { Outcome } from '../../../../nodes/CallVerification/pacing/requestQueue';
import { runList } from '../../../../harness/simulation/listRun';
import {
	atMostInFlight,
	fixedWindow,
	slidingWindow,
} from '../../../../harness/simulation/simulatedService';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

const answers = fc.constantFrom<Outcome>({ kind: 'ok' }, { kind: 'overloaded' });

describe('fixedLimit', () => {
	it('keeps exactly its number in flight, however the service responds', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 70 }), fc.array(answers), async (width, given) => {
				const clock = new VirtualClock();
				const limit = fixedLimit(clock, width);
				let inFlight = 0;
				let most = 0;
				const request = async (answer: Outcome) => {
					const slot = await limit.enter();
					most = Math.max(most, ++inFlight);
					await clock.sleep(10);
					inFlight--;
					slot.leave(answer);
				};
				await clock.runUntil(Promise.all(given.map(request)));
				expect(most).toBe(Math.min(width, given.length));
			}),
		);
	});

	it('holds all requests back for as long as the service told one of them', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedLimit(clock, 3);
		const first = await limit.enter();
		const second = await limit.enter();
		first.leave({ kind: 'rateLimited', retryAfterMs: 500 });
		second.leave({ kind: 'rateLimited', retryAfterMs: 100 });
		await clock.runUntil(limit.enter());
		expect(clock.now()).toBe(500);
	});

	it.each([1, 8, 64])('loses nothing on a service that counts, with %i at once', async (width) => {
		for (const admission of [
			() => slidingWindow(20, 1_000),
			() => slidingWindow(60, 60_000),
			() => fixedWindow(10, 60_000),
			() => atMostInFlight(4),
		]) {
			for (const sendsRetryAfter of [false, true]) {
				const { lost, mostInFlight } = await runList(200, (clock) => fixedLimit(clock, width), {
					admission: admission(),
					sendsRetryAfter,
				});
				expect(lost).toBe(0);
				expect(mostInFlight).toBeLessThanOrEqual(width);
			}
		}
	});

	it('wastes hardly more than the automatic limit on a service that counts', async () => {
		const service = () => ({ admission: slidingWindow(100, 1_000) });
		const { seconds, wasted } = await runList(600, (clock) => fixedLimit(clock, 64), service());
		expect(seconds).toBeLessThan(7.5);
		expect(wasted).toBeLessThan(0.2);
	});
});
