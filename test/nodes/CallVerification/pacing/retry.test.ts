import { VirtualClock } from '../../../virtualClock';
import type { Outcome } from '../../../../nodes/CallVerification/pacing/limit';
import {
	GiveUp,
	LostAttempts,
	parseRetryAfter,
	retry,
	type RetryAdvice,
	type RetryOptions,
} from '../../../../nodes/CallVerification/pacing/retry';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/time';

const MINUTE = 60_000;

function setUp(
	advice: RetryAdvice | ((error: unknown) => RetryAdvice),
	more: Partial<RetryOptions> = {},
) {
	const clock = new VirtualClock(MINUTE);
	const tries: number[] = [];
	const options: RetryOptions = {
		maxRetries: 5,
		isHopeless: () => false,
		clock,
		random: () => 1,
		adviceFor: typeof advice === 'function' ? advice : () => advice,
		...more,
	};
	const failing = async (): Promise<never> => {
		tries.push(clock.now());
		throw new Error('try ' + tries.length);
	};
	const pauses = () => tries.slice(1).map((time, index) => time - (tries[index] ?? 0));
	return { clock, tries, options, failing, pauses };
}

describe('retry', () => {
	it.each([
		['is final', false, 5],
		['may be retried, but no retries are allowed', 'transient', 0],
		['is a refusal, and no retries are allowed', 'rateLimited', 0],
	] as const)('makes one attempt when a failure %s', async (_what, advice, maxRetries) => {
		const { options, failing, tries } = setUp({ retry: advice }, { maxRetries });
		await expect(retry(failing, options)).rejects.toThrow('try 1');
		expect(tries).toHaveLength(1);
	});
	it('doubles the backoff up to half a minute and finally throws the last failure', async () => {
		const { clock, options, failing, pauses } = setUp({ retry: 'transient' }, { maxRetries: 7 });
		await expect(clock.runUntil(retry(failing, options))).rejects.toThrow('try 8');
		expect(pauses()).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
	});

	it('takes any part of the backoff, down to nothing', async () => {
		const parts = [0, 0.5, 0.25];
		const { clock, options, failing, pauses } = setUp(
			{ retry: 'transient' },
			{ maxRetries: 3, random: () => parts.shift() ?? NaN },
		);
		await expect(clock.runUntil(retry(failing, options))).rejects.toThrow('try 4');
		expect(pauses()).toEqual([0, 1000, 1000]);
	});

	it('returns a later success and reports each retry', async () => {
		const beforeRetry = jest.fn();
		const { clock, options, failing, tries } = setUp({ retry: 'transient' }, { beforeRetry });
		const attempt = async () => (tries.length < 2 ? await failing() : 'done');
		expect(await clock.runUntil(retry(attempt, options))).toBe('done');
		expect(beforeRetry).toHaveBeenCalledTimes(2);
	});

	it.each([
		['as long as the service asks', 1234, [1234, 1234]],
		['as it chooses when the service says “at once”', 0, [1000, 2000]],
	])('waits %s', async (_what, afterMs, expected) => {
		const advice = { retry: 'transient', afterMs } as const;
		const { clock, options, failing, pauses } = setUp(advice, { maxRetries: 2 });
		await expect(clock.runUntil(retry(failing, options))).rejects.toThrow('try 3');
		expect(pauses()).toEqual(expected);
	});
	it('uses up no retry when throttled, and comes back at once, until that is hopeless', async () => {
		const asked: Array<[number, number]> = [];
		const { clock, options, tries } = setUp(
			{ retry: 'rateLimited' },
			{
				maxRetries: 1,
				isHopeless: (refusals, forMs) => {
					asked.push([refusals, forMs]);
					return refusals === 4;
				},
			},
		);
		const attempt = async () => {
			tries.push(clock.now());
			await clock.sleep(100);
			throw new Error(`try ${tries.length}`);
		};
		await expect(clock.runUntil(retry(attempt, options))).rejects.toThrow('try 4');
		expect(tries).toEqual([0, 100, 200, 300].map((passed) => MINUTE + passed));
		expect(asked).toEqual([
			[1, 0],
			[2, 100],
			[3, 200],
			[4, 300],
		]);
	});

	it('is urgent once started, until it was refused three times', async () => {
		const kinds = [
			'transient',
			'rateLimited',
			'rateLimited',
			'rateLimited',
			'rateLimited',
		] as const;
		const urgencies: boolean[] = [];
		const { clock, options, failing } = setUp(() => ({
			retry: kinds[urgencies.length - 1] ?? 'transient',
		}));
		const attempt = async (isUrgent: boolean) => {
			urgencies.push(isUrgent);
			return urgencies.length > kinds.length ? 'done' : await failing();
		};
		await clock.runUntil(retry(attempt, options));
		expect(urgencies).toEqual([false, true, true, true, false, false]);
	});

	it('keeps both counts apart', async () => {
		const kinds = ['rateLimited', 'transient', 'rateLimited', 'transient', 'transient'] as const;
		const { clock, options, failing, tries, pauses } = setUp(
			() => ({ retry: kinds[tries.length - 1] ?? 'transient' }),
			{ maxRetries: 2 },
		);
		await expect(clock.runUntil(retry(failing, options))).rejects.toThrow('try 5');
		expect(pauses()).toEqual([0, 1000, 0, 2000]);
	});

	it('does not start after a stop', async () => {
		const { options, failing, tries } = setUp({ retry: false }, { stop: AbortSignal.abort() });
		await expect(retry(failing, options)).rejects.toThrow(StoppedError);
		expect(tries).toHaveLength(0);
	});

	it('ends a pause at a stop, with the previous failure and without another attempt', async () => {
		const stop = new AbortController();
		const beforeRetry = jest.fn();
		const { clock, options, failing, tries } = setUp(
			{ retry: 'transient' },
			{ stop: stop.signal, beforeRetry },
		);
		const result = retry(failing, options);
		await clock.advance(500);
		stop.abort();
		await expect(result).rejects.toThrow('try 1');
		expect(tries).toHaveLength(1);
		expect(beforeRetry).not.toHaveBeenCalled();
	});

	it('reports the previous failure when a later attempt was stopped before it started', async () => {
		const { clock, options, failing, tries } = setUp({ retry: 'transient' });
		const attempt = async () => {
			if (tries.length === 1) throw new StoppedError();
			return await failing();
		};
		await expect(clock.runUntil(retry(attempt, options))).rejects.toThrow('try 1');
	});

	it('passes on a stop before the first attempt, without asking for advice', async () => {
		const adviceFor = jest.fn();
		const { options } = setUp(adviceFor);
		const attempt = async () => await Promise.reject(new StoppedError());
		await expect(retry(attempt, options)).rejects.toThrow(StoppedError);
		expect(adviceFor).not.toHaveBeenCalled();
	});
});

const now = Date.UTC(2030, 0, 1, 12, 0, 0);

describe('parseRetryAfter', () => {
	it.each([
		['0', 0],
		['1', 1000],
		[' 7 ', 7000],
		['0.25', 250],
		[3, 3000],
		['300', 300_000],
		['86400', 86_400_000],
		// Longer than a timer can be set to.
		['99999999999999999999999', 2_147_483_647],
		['Tue, 01 Jan 2030 12:00:30 GMT', 30_000],
		['Tue, 01 Jan 2030 11:59:00 GMT', 0],
		['Wed, 02 Jan 2030 12:00:00 GMT', 86_400_000],
	])('reads %p as %p ms', (header, expected) => {
		expect(parseRetryAfter(header, now)).toBe(expected);
	});

	it.each([
		[undefined],
		[''],
		['-1'],
		['1e3'],
		['1.'],
		['soon'],
		['1 minute'],
		[NaN],
		['2030-01-01T12:00:30Z'],
		['Tue, 01 Jan 2030 12:00:30 CET'],
		['Tue, 01 Jan 2030 12:00:30 GMT+01:00'],
		['x Tue, 01 Jan 2030 12:00:30 GMT'],
		['Tue, 1 Jan 2030 12:00:30 GMT'],
		['Tue, 01 Xyz 2030 12:00:30 GMT'],
		['Tue, 01 Jan 2030 25:00:00 GMT'],
	])('ignores %p', (header) => {
		expect(parseRetryAfter(header, now)).toBeUndefined();
	});
});

const LIMIT = 300_000;

function newRun() {
	const clock = new VirtualClock();
	const giveUp = new GiveUp(clock, LIMIT);
	/** A request with this immediate outcome. */
	const send = (outcome: Outcome) => {
		giveUp.sent();
		giveUp.observe(outcome);
	};
	const fail = (retryAfterMs?: number) => send({ kind: 'overloaded', error: 'down', retryAfterMs });
	const refuseAll = () => send({ kind: 'refusesAll', error: 'wrong key', isCertain: false });
	const respond = () => send({ kind: 'ok' });
	return { clock, giveUp, send, fail, refuseAll, respond };
}

it('a lost attempt is remembered', () => {
	const attempts = new LostAttempts();
	expect(attempts.any).toBe(false);
	attempts.lost();
	expect(attempts.any).toBe(true);
});

describe('a run without a response', () => {
	it('gives up exactly at its limit, whatever the wall clock says, and knows the last error', async () => {
		const { clock, giveUp, fail, send } = newRun();
		send({ kind: 'rateLimited', error: 'busy' });
		fail();
		clock.setBack(3_600_000);
		await clock.advance(LIMIT - 1);
		expect(giveUp.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(giveUp.signal.aborted).toBe(true);
		expect(giveUp.reason).toEqual({
			kind: 'noResponse',
			error: 'down',
			since: Date.UTC(2030, 0, 1) - 3_600_000,
			retryAfterMs: undefined,
		});
	});
	it('counts from the start of the first request, even while that is in flight', async () => {
		const { clock, giveUp } = newRun();
		await clock.advance(30_000);
		giveUp.sent();
		await clock.advance(10_000);
		giveUp.sent();
		expect(giveUp.noResponse).toEqual({ forMs: 10_000, leftMs: LIMIT - 10_000 });
		await clock.advance(LIMIT - 10_000);
		expect(giveUp.reason).toMatchObject({ since: Date.UTC(2030, 0, 1, 0, 0, 30) });
	});

	it('counts from the last response, while others are in flight', async () => {
		const { clock, giveUp, respond } = newRun();
		giveUp.sent();
		await clock.advance(20_000);
		respond();
		await clock.advance(10_000);
		expect(giveUp.noResponse).toEqual({ forMs: 10_000, leftMs: LIMIT - 10_000 });
	});

	it('starts over with every response, and never gives up while no request is made', async () => {
		const { clock, giveUp, fail, respond } = newRun();
		for (let minute = 0; minute < 60; minute++) {
			fail();
			await clock.advance(60_000);
			respond();
		}
		await clock.advance(10 * LIMIT);
		expect(giveUp.noResponse).toBeUndefined();
		fail();
		await clock.advance(LIMIT - 1);
		expect(giveUp.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(giveUp.signal.aborted).toBe(true);
	});

	it('gives up at once when the service asks for a longer pause than is left', async () => {
		const { clock, giveUp, fail } = newRun();
		fail();
		await clock.advance(100_000);
		fail(200_000);
		expect(giveUp.signal.aborted).toBe(false);
		fail(200_001);
		expect(giveUp.reason).toMatchObject({ retryAfterMs: 200_001 });
		expect(giveUp.signal.aborted).toBe(true);
	});

	it('is one in which all requests are refused for their number', async () => {
		const { clock, giveUp, send } = newRun();
		send({ kind: 'rateLimited', error: 'busy' });
		await clock.advance(LIMIT - 1);
		send({ kind: 'rateLimited', error: 'still busy' });
		expect(giveUp.noResponse).toEqual({ forMs: LIMIT - 1, leftMs: 1 });
		await clock.advance(1);
		expect(giveUp.reason).toMatchObject({ kind: 'noResponse', error: 'still busy' });
	});

	it('needs one timer, however many requests it makes', () => {
		const { clock, fail } = newRun();
		const timer = jest.spyOn(clock, 'timer');
		for (let times = 0; times < 100; times++) fail();
		expect(timer).toHaveBeenCalledTimes(1);
	});

	it('ends what is in flight at its limit, even if it has given up before', async () => {
		const { clock, giveUp, fail } = newRun();
		giveUp.sent();
		await clock.advance(100_000);
		fail(LIMIT);
		expect(giveUp.signal.aborted).toBe(true);
		await clock.advance(LIMIT - 100_001);
		expect(giveUp.timeOver.aborted).toBe(false);
		await clock.advance(1);
		expect(giveUp.timeOver.aborted).toBe(true);
	});

	it('leaves what is in flight as long again after each response', async () => {
		const { clock, giveUp, respond } = newRun();
		giveUp.sent();
		await clock.advance(LIMIT - 1);
		respond();
		await clock.advance(LIMIT - 1);
		expect(giveUp.timeOver.aborted).toBe(false);
	});

	it('ignores everything once it has given up', async () => {
		const { clock, giveUp, fail, respond, send } = newRun();
		fail();
		await clock.advance(LIMIT);
		respond();
		send({ kind: 'refusesAll', error: 'blocked', isCertain: true });
		expect(giveUp.reason?.kind).toBe('noResponse');
		expect(giveUp.noResponse).toBeUndefined();
	});
});
describe('a run in which every request is refused', () => {
	it('gives up with the tenth in a row; any other response, but not a lack of one, starts it over', () => {
		const { giveUp, refuseAll, respond, fail } = newRun();
		for (let times = 0; times < 9; times++) refuseAll();
		respond();
		for (let times = 0; times < 9; times++) refuseAll();
		expect(giveUp.signal.aborted).toBe(false);
		fail();
		refuseAll();
		expect(giveUp.signal.aborted).toBe(true);
		expect(giveUp.reason).toEqual({ kind: 'refusesAll', error: 'wrong key', times: 10 });
	});
	it('gives up with the first that certainly holds for all', () => {
		const { giveUp, send, respond } = newRun();
		respond();
		send({ kind: 'refusesAll', error: 'blocked', isCertain: true });
		expect(giveUp.reason).toEqual({ kind: 'refusesAll', error: 'blocked', times: 1 });
	});
	it('goes on giving that as the reason, whatever comes later', async () => {
		const { clock, giveUp, send, fail } = newRun();
		send({ kind: 'refusesAll', error: 'blocked', isCertain: true });
		giveUp.sent();
		fail(LIMIT + 1);
		expect(giveUp.noResponse).toBeUndefined();
		await clock.advance(LIMIT);
		expect(giveUp.timeOver.aborted).toBe(true);
		expect(giveUp.reason).toEqual({ kind: 'refusesAll', error: 'blocked', times: 1 });
	});
	it('is not without a response', async () => {
		const { clock, giveUp, fail, refuseAll } = newRun();
		fail();
		refuseAll();
		await clock.advance(2 * LIMIT);
		expect(giveUp.signal.aborted).toBe(false);
	});
});

describe('a single request', () => {
	it.each([
		[LIMIT, 9, 600_000, false],
		[LIMIT, 10, 59_999, false],
		[LIMIT, 10, 60_000, true],
		[10_000, 10, 1_999, false],
		[10_000, 10, 2_000, true],
	])('in a run of at most %i ms, refused %i times in %i ms, is hopeless: %j', (...row) => {
		const [limitMs, refusals, forMs, isHopeless] = row;
		const giveUp = new GiveUp(new VirtualClock(), limitMs);
		expect(giveUp.isHopeless(refusals, forMs)).toBe(isHopeless);
	});
	it('is hopeless after three when there was no response for a quarter of the time', async () => {
		const { clock, giveUp, fail } = newRun();
		fail();
		await clock.advance(LIMIT / 4 - 1);
		expect(giveUp.isHopeless(3, 1_000)).toBe(false);
		await clock.advance(1);
		expect(giveUp.isHopeless(2, 1_000)).toBe(false);
		expect(giveUp.isHopeless(3, 1_000)).toBe(true);
	});
});
