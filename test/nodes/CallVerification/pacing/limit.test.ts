import { VirtualClock } from '../../../virtualClock';
import { type Leave, RequestQueue } from '../../../../nodes/CallVerification/pacing/limit';
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
