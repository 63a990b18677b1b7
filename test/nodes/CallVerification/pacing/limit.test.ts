import fc from 'fast-check';

import { VirtualClock } from '../../../../harness/simulation/virtualClock';
import {
	adaptiveLimit,
	fixedWidth,
	keepLimit,
	type Leave,
	RequestQueue,
	takeKeptLimit,
} from '../../../../nodes/CallVerification/pacing/limit';
import { rateLimit } from '../../../../nodes/CallVerification/pacing/quota';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/time';

class TestQueue extends RequestQueue<string> {
	wait = jest.fn((_inFlight: number) => 0);
	started = jest.fn((inFlight: number) => `ticket ${inFlight}`);
	answered = jest.fn();
}

function setUp(wait: (inFlight: number) => number = () => 0) {
	const clock = new VirtualClock(0);
	const queue = new TestQueue(clock);
	queue.wait.mockImplementation(wait);
	const leave: Leave[] = [];
	const enter = async (stop?: AbortSignal, isUrgent?: boolean) => {
		leave.push(await queue.enter(stop, isUrgent));
		return clock.now();
	};
	return { clock, queue, enter, leave };
}

/** One at a time. */
const single = (inFlight: number) => (inFlight < 1 ? 0 : Infinity);

describe('RequestQueue', () => {
	it('lets in as many as the policy allows, and the next when one leaves', async () => {
		const { clock, enter, leave } = setUp((inFlight) => (inFlight < 2 ? 0 : Infinity));
		const third = jest.fn();
		void enter();
		void enter();
		void enter().then(third);
		await clock.advance(1000);
		expect(third).not.toHaveBeenCalled();
		leave[0]?.({ kind: 'ok' });
		await clock.advance(0);
		expect(third).toHaveBeenCalledWith(1000);
	});

	it('reports starts and answers to the policy', async () => {
		const { clock, queue, enter, leave } = setUp();
		void enter();
		void enter();
		await clock.advance(0);
		leave[0]?.({ kind: 'rateLimited', retryAfterMs: 5 });
		leave[1]?.({ kind: 'ok' });
		expect(queue.started.mock.calls).toEqual([[1], [2]]);
		expect(queue.answered.mock.calls).toEqual([
			['ticket 1', { kind: 'rateLimited', retryAfterMs: 5 }, 2],
			['ticket 2', { kind: 'ok' }, 1],
		]);
	});

	it('waits as long as the policy says, then asks again', async () => {
		const { clock, queue, enter } = setUp();
		queue.wait.mockReturnValueOnce(100).mockReturnValueOnce(50);
		expect(await clock.runUntil(enter())).toBe(150);
	});

	it('starts one sleep for all waiting, and a second one only if it ends earlier', async () => {
		const { clock, queue, enter } = setUp();
		const sleep = jest.spyOn(clock, 'sleep');
		queue.wait.mockReturnValueOnce(100).mockReturnValueOnce(100).mockReturnValueOnce(30);
		const entered = Promise.all([enter(), enter(), enter()]);
		expect(sleep.mock.calls).toEqual([[100], [30]]);
		expect(await clock.runUntil(entered)).toEqual([30, 30, 30]);
	});

	it('starts no further sleep when one ends that was too long', async () => {
		const { clock, queue, enter } = setUp(() => Math.max(0, 200 - clock.now()));
		const sleep = jest.spyOn(clock, 'sleep');
		queue.wait.mockReturnValueOnce(100).mockReturnValueOnce(10);
		const entered = Promise.all([enter(), enter()]);
		expect(await clock.runUntil(entered)).toEqual([200, 200]);
		expect(sleep.mock.calls).toEqual([[100], [10], [190]]);
	});

	it('sleeps again after a sleep', async () => {
		const { clock, queue, enter } = setUp();
		queue.wait.mockReturnValueOnce(10);
		await clock.runUntil(enter());
		queue.wait.mockReturnValueOnce(10);
		expect(await clock.runUntil(enter())).toBe(20);
	});

	it('starts eight at a time and lets others work before it continues', async () => {
		const { clock, queue, enter } = setUp(() => (isOpen ? 0 : Math.max(1, 10 - clock.now())));
		const sleep = clock.sleep.bind(clock);
		let isOpen = false;
		let inOneGo = 0;
		let most = 0;
		jest.spyOn(clock, 'sleep').mockImplementation(async (milliseconds) => {
			await sleep(milliseconds);
			inOneGo = 0;
		});
		queue.started.mockImplementation(() => String((most = Math.max(most, ++inOneGo))));
		const entered = Promise.all(Array.from({ length: 20 }, async () => await enter()));
		await clock.advance(9);
		isOpen = true;
		await clock.runUntil(entered);
		expect(most).toBe(8);
	});
	it('admits urgent entries before the others, each group in order, also after a refusal', async () => {
		const { clock, enter, leave } = setUp(single);
		const order: string[] = [];
		const queueUp = (isUrgent: boolean, ...names: string[]) => {
			for (const name of names) void enter(undefined, isUrgent).then(() => order.push(name));
		};
		await enter();
		queueUp(false, 'new 1', 'new 2');
		leave[0]?.({ kind: 'rateLimited' });
		queueUp(true, 'again 1', 'again 2');
		for (let index = 1; index <= 4; index++) {
			await clock.advance(1);
			leave[index]?.({ kind: 'ok' });
		}
		expect(order).toEqual(['again 1', 'again 2', 'new 1', 'new 2']);
	});
	it.each([false, true])(
		'turns away the waiting entries of a stopped run, urgent or not (%s), and admits others',
		async (isUrgent) => {
			const { clock, enter, leave } = setUp(single);
			const stop = new AbortController();
			await enter();
			const stopped = enter(stop.signal, isUrgent);
			const other = enter();
			stop.abort();
			await expect(stopped).rejects.toThrow(StoppedError);
			await expect(stopped).rejects.toMatchObject({ name: 'StoppedError' });
			leave[0]?.({ kind: 'ok' });
			await clock.runUntil(other);
			expect(leave).toHaveLength(2);
		},
	);
	it('admits nothing after a stop', async () => {
		const { enter, queue } = setUp();
		await expect(enter(AbortSignal.abort())).rejects.toThrow(StoppedError);
		expect(queue.started).not.toHaveBeenCalled();
	});

	it('takes back no slot in use when the run is stopped', async () => {
		const { enter, queue } = setUp();
		const stop = new AbortController();
		await enter(stop.signal);
		stop.abort();
		expect(queue.answered).not.toHaveBeenCalled();
	});
});

/** Without any other limit. Nothing leaves it. */
const paced = (clock: VirtualClock, perSecond: number, account = 'account') => {
	const limit = fixedWidth(clock, Infinity, rateLimit(clock, perSecond, account));
	return async (stop?: AbortSignal) => void (await limit.enter(stop));
};

/** Starts this many, and returns when. */
const times = async (clock: VirtualClock, limit: () => Promise<void>, count: number) =>
	await Promise.all(
		Array.from({ length: count }, async () => {
			await limit();
			return clock.now();
		}),
	);

it('a rate limit does not make up for unused time', async () => {
	const clock = new VirtualClock(0);
	const limit = paced(clock, 1);
	expect(await times(clock, limit, 1)).toEqual([0]);
	await clock.advance(10_000);
	expect(await clock.runUntil(times(clock, limit, 2))).toEqual([10_000, 11_000]);
});
describe('the runs of an account', () => {
	it('share one rate, and alternate', async () => {
		const clock = new VirtualClock(0);
		const runs = [2, 2, 2].map((perSecond) => paced(clock, perSecond));
		const all = await clock.runUntil(
			Promise.all(runs.map(async (limit) => await times(clock, limit, 3))),
		);
		expect(all).toEqual([
			[0, 500, 2_000],
			[1_000, 2_500, 3_500],
			[1_500, 3_000, 4_000],
		]);
	});

	it('keep their own gap to whatever came before, whatever the rates and arrivals', async () => {
		const rate = fc.integer({ min: 1, max: 50 });
		const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(400)), { minLength: 1, maxLength: 20 });
		const runs = fc.array(fc.tuple(rate, pauses), { minLength: 1, maxLength: 5 });
		await fc.assert(
			fc.asyncProperty(runs, async (all) => {
				const clock = new VirtualClock(0);
				const started: Array<{ at: number; gap: number }> = [];
				const run = async ([perSecond, arrivals]: [number, number[]]) => {
					const limit = paced(clock, perSecond);
					const waiting: Array<Promise<void>> = [];
					for (const pause of arrivals) {
						if (pause > 0) await clock.sleep(pause);
						const start = () => void started.push({ at: clock.now(), gap: 1_000 / perSecond });
						waiting.push(limit().then(start));
					}
					await Promise.all(waiting);
				};
				await clock.runUntil(Promise.all(all.map(run)));
				expect(started).toHaveLength(all.flatMap(([, arrivals]) => arrivals).length);
				for (const [index, { at, gap }] of started.entries()) {
					const before = started[index - 1]?.at ?? -Infinity;
					expect(at - before).toBeGreaterThanOrEqual(gap - 1e-6);
				}
			}),
		);
	});
	it('start no burst after the machine stood still', async () => {
		const clock = new VirtualClock(0);
		const waiting = times(clock, paced(clock, 1), 4);
		const busy = clock.sleep(500).then(() => clock.spend(10_000));
		await clock.runUntil(Promise.all([waiting, busy]));
		expect(await waiting).toEqual([0, 10_500, 11_500, 12_500]);
	});

	it('are remembered until the next may start, even if that takes longer than an hour', async () => {
		const clock = new VirtualClock(0);
		const everyTwoHours = 1 / 7_200;
		await paced(clock, everyTwoHours)();
		await clock.advance(5_400_000);
		const starts = times(clock, paced(clock, everyTwoHours), 1);
		expect(await clock.runUntil(starts)).toEqual([7_200_000]);
	});

	it('do not use a start that was reserved for a stopped request', async () => {
		const clock = new VirtualClock(0);
		const [first, second] = [paced(clock, 1), paced(clock, 1)];
		const stop = new AbortController();
		await first();
		const stopped = expect(first(stop.signal)).rejects.toThrow(StoppedError);
		const other = times(clock, second, 1);
		stop.abort();
		await stopped;
		await clock.advance(2_500);
		expect(await other).toEqual([2_000]);
		expect(await clock.runUntil(times(clock, first, 1))).toEqual([3_000]);
	});
});

describe('a paced request', () => {
	it('takes no slot before its start, and none if it is stopped before that', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedWidth(clock, 1, rateLimit(clock, 1, 'account'));
		(await limit.enter())({ kind: 'ok' });
		const stop = new AbortController();
		const waiting = expect(limit.enter(stop.signal)).rejects.toThrow(StoppedError);
		expect(limit.isCalm).toBe(true);
		stop.abort();
		await waiting;
		await clock.runUntil(limit.enter());
		expect(clock.now()).toBe(1_000);
	});

	it('leaves its start to another run if it is stopped before that', async () => {
		const clock = new VirtualClock(0);
		await paced(clock, 1)();
		const stop = new AbortController();
		const stopped = expect(paced(clock, 1)(stop.signal)).rejects.toThrow(StoppedError);
		stop.abort();
		await stopped;
		await clock.advance(1_000);
		await clock.runUntil(paced(clock, 1)());
		expect(clock.now()).toBe(1_000);
	});

	it('waits out a pause that begins while it waits for its start, and then for a new start', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedWidth(clock, 2, rateLimit(clock, 1, 'account'));
		const first = await limit.enter();
		const second = limit.enter();
		first({ kind: 'rateLimited', retryAfterMs: 10_000 });
		await clock.advance(9_500);
		await paced(clock, 1)();
		await clock.runUntil(second);
		expect(clock.now()).toBe(10_500);
	});

	it('starts on time when timers fire a little early', async () => {
		const clock = new VirtualClock(0);
		const sleep = jest.fn(async (ms: number) => await clock.sleep(Math.max(0.1, ms - 0.5)));
		const early = Object.assign(Object.create(clock) as VirtualClock, { sleep });
		const limit = fixedWidth(early, Infinity, rateLimit(early, 100, 'account'));
		const starts = Array.from({ length: 4 }, async () => {
			await limit.enter();
			return clock.now();
		});
		expect(await clock.runUntil(Promise.all(starts))).toEqual([0, 9.5, 19.5, 29.5]);
		expect(sleep).toHaveBeenCalledTimes(3);
	});
});

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
