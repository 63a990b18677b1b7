import fc from 'fast-check';
import { fixedLimit } from '../../../../nodes/CallVerification/runtime/fixedLimit';
import type { Pushback } from '../../../../nodes/CallVerification/runtime/limit';
import { VirtualClock } from './virtualClock';

const answers = fc.constantFrom<Pushback>(
	{ kind: 'ok' },
	{ kind: 'overloaded' },
	{ kind: 'throttled' },
);

describe('fixedLimit', () => {
	it('has exactly its number in flight, whatever the service answers', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 70 }), fc.array(answers), async (width, given) => {
				const clock = new VirtualClock();
				const limit = fixedLimit(clock, width);
				let inFlight = 0;
				let most = 0;
				const request = async (answer: Pushback) => {
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

	it('holds everybody back for as long as the service has told one of them', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedLimit(clock, 3);
		const first = await limit.enter();
		const second = await limit.enter();
		first.leave({ kind: 'throttled', retryAfterMs: 500 });
		second.leave({ kind: 'throttled', retryAfterMs: 100 });
		await clock.runUntil(limit.enter());
		expect(clock.now()).toBe(500);
	});

	it('holds nobody back for a refusal without a time', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedLimit(clock, 1);
		(await limit.enter()).leave({ kind: 'throttled' });
		await clock.runUntil(limit.enter());
		expect(clock.now()).toBe(0);
	});
});
