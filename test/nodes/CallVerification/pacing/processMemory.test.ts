import { VirtualClock } from '../../../virtualClock';
import { adaptiveLimit } from '../../../../nodes/CallVerification/pacing/limit';
import {
	keepLimit,
	lastStartOf,
	rememberStart,
	takeKeptLimit,
} from '../../../../nodes/CallVerification/pacing/processMemory';

describe('a kept limit', () => {
	const keptFor = (account: string, clock = new VirtualClock(0)) => {
		const limit = adaptiveLimit(clock);
		keepLimit(account, limit, clock);
		return { clock, limit };
	};

	it('is for the next run of the account, and only for that', () => {
		const { clock, limit } = keptFor('account');
		expect(takeKeptLimit('other', clock)).toBeUndefined();
		expect(takeKeptLimit('account', clock)).toBe(limit);
		expect(takeKeptLimit('account', clock)).toBeUndefined();
	});

	it('forgets how many requests the service said to remain', async () => {
		const clock = new VirtualClock(0);
		const limit = adaptiveLimit(clock);
		(await limit.enter())({ kind: 'ok', announced: { limit: 30, remaining: 0 } });
		keepLimit('account', limit, clock);
		const started = jest.fn();
		for (let i = 0; i < 5; i++) void limit.enter().then(started);
		await clock.advance(0);
		expect(started).toHaveBeenCalledTimes(5);
	});

	it('is forgotten after a minute', async () => {
		const { clock, limit } = keptFor('account');
		keptFor('other', clock);
		await clock.advance(59_999);
		expect(takeKeptLimit('account', clock)).toBe(limit);
		await clock.advance(1);
		expect(takeKeptLimit('other', clock)).toBeUndefined();
	});

	it.each([
		['has a request in flight', undefined],
		['waits for the service', { kind: 'rateLimited', retryAfterMs: 3_600_000 } as const],
	])('is none that %s', async (_what, outcome) => {
		const clock = new VirtualClock(0);
		const limit = adaptiveLimit(clock);
		const leave = await limit.enter();
		if (outcome) leave(outcome);
		keepLimit('account', limit, clock);
		expect(takeKeptLimit('account', clock)).toBeUndefined();
	});
});

describe('the start of the last request', () => {
	it('is remembered until an hour after the next one may start', async () => {
		const clock = new VirtualClock(0);
		rememberStart('account', 5_000, 1_000, clock);
		await clock.advance(3_605_999);
		expect(lastStartOf('account', clock)).toBe(5_000);
		await clock.advance(1);
		expect(lastStartOf('account', clock)).toBe(-Infinity);
	});

	it('is that of the account', () => {
		const clock = new VirtualClock(0);
		rememberStart('account', 5_000, 1_000, clock);
		expect(lastStartOf('other', clock)).toBe(-Infinity);
	});
});
