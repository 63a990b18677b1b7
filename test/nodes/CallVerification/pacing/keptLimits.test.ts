import { adaptiveLimit } from '../../../../nodes/CallVerification/pacing/adaptiveLimit';
import { KeptLimits } from '../../../../nodes/CallVerification/pacing/keptLimits';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

function setUp() {
	const clock = new VirtualClock(0);
	return { clock, limit: adaptiveLimit(clock), limits: new KeptLimits() };
}

const pass = async (clock: VirtualClock, milliseconds: number) =>
	await clock.runUntil(clock.sleep(milliseconds));

describe('KeptLimits', () => {
	it('passes a limit to the next run of the account, and only to that', () => {
		const { clock, limit, limits } = setUp();
		limits.keep('account', limit, clock);
		expect(limits.take('other', clock)).toBeUndefined();
		expect(limits.take('account', clock)).toBe(limit);
		expect(limits.take('account', clock)).toBeUndefined();
	});

	it('lets the limit forget what the next run does not need', () => {
		const { clock, limit, limits } = setUp();
		const rest = jest.spyOn(limit, 'rest');
		limits.keep('account', limit, clock);
		expect(rest).toHaveBeenCalledTimes(1);
	});

	it('does not pass on how many requests the service said to remain', async () => {
		const { clock, limit, limits } = setUp();
		(await limit.enter()).leave({ kind: 'ok', announced: { limit: 30, remaining: 0 } });
		limits.keep('account', limit, clock);
		const started = jest.fn();
		for (let i = 0; i < 5; i++) void limit.enter().then(started);
		await clock.advance(0);
		expect(started).toHaveBeenCalledTimes(5);
	});

	it('keeps the latest one', () => {
		const { clock, limit, limits } = setUp();
		limits.keep('account', adaptiveLimit(clock), clock);
		limits.keep('account', limit, clock);
		expect(limits.take('account', clock)).toBe(limit);
	});

	it('forgets it after a minute, whichever run comes next', async () => {
		const { clock, limit, limits } = setUp();
		limits.keep('account', limit, clock);
		await pass(clock, 59_999);
		limits.keep('other', adaptiveLimit(clock), clock);
		expect(limits.size).toBe(2);
		await pass(clock, 1);
		expect(limits.take('third', clock)).toBeUndefined();
		expect(limits.size).toBe(1);
		expect(limits.take('account', clock)).toBeUndefined();
	});

	it('does not keep one with a request in flight', async () => {
		const { clock, limit, limits } = setUp();
		const slot = await limit.enter();
		limits.keep('account', limit, clock);
		expect(limits.size).toBe(0);
		slot.leave({ kind: 'ok' });
		limits.keep('account', limit, clock);
		expect(limits.size).toBe(1);
	});

	it('does not keep one that waits for the service', async () => {
		const { clock, limit, limits } = setUp();
		(await limit.enter()).leave({ kind: 'rateLimited', retryAfterMs: 3_600_000 });
		limits.keep('account', limit, clock);
		expect(limits.size).toBe(0);
	});

	it('does not mix two clocks', () => {
		const { clock, limit, limits } = setUp();
		limits.keep('account', limit, clock);
		expect(limits.take('account', new VirtualClock(0))).toBeUndefined();
		expect(limits.take('account', clock)).toBe(limit);
	});
});
