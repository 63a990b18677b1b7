import type { Clock } from '../../../../nodes/CallVerification/pacing/clock';
import {
	type Outcome,
	RequestQueue,
	type Slot,
} from '../../../../nodes/CallVerification/pacing/requestQueue';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/stop';
import { VirtualClock } from '../../../../harness/simulation/virtualClock';

interface Policy {
	wait: (inFlight: number) => number;
	started: (inFlight: number) => string;
	answered: (ticket: string, outcome: Outcome, inFlight: number) => void;
}

class TestQueue extends RequestQueue<string> {
	constructor(
		clock: Clock,
		private readonly policy: Policy,
	) {
		super(clock);
	}

	protected wait(inFlight: number) {
		return this.policy.wait(inFlight);
	}

	protected started(inFlight: number) {
		return this.policy.started(inFlight);
	}

	protected answered(ticket: string, outcome: Outcome, inFlight: number) {
		this.policy.answered(ticket, outcome, inFlight);
	}
}

function setUp(wait: (inFlight: number) => number) {
	const clock = new VirtualClock(0);
	const policy = {
		wait: jest.fn(wait),
		started: jest.fn((inFlight: number) => 'ticket ' + inFlight),
		answered: jest.fn(),
	} satisfies Policy;
	const queue = new TestQueue(clock, policy);
	const slots: Slot[] = [];
	const enter = (stop?: AbortSignal, isUrgent?: boolean) =>
		queue.enter(stop, isUrgent).then((slot) => {
			slots.push(slot);
			return clock.now();
		});
	return { clock, policy, enter, slots };
}

describe('RequestQueue', () => {
	it('lets in as many as the policy allows, and the next when one leaves', async () => {
		const { clock, enter, slots } = setUp((inFlight) => (inFlight < 2 ? 0 : Infinity));
		const third = jest.fn();
		void enter();
		void enter();
		void enter().then(third);
		await clock.advance(1000);
		expect(third).not.toHaveBeenCalled();
		slots[0]?.leave({ kind: 'ok' });
		await clock.advance(0);
		expect(third).toHaveBeenCalledWith(1000);
	});

	it('reports starts and answers to the policy', async () => {
		const { clock, policy, enter, slots } = setUp(() => 0);
		void enter();
		void enter();
		await clock.advance(0);
		slots[0]?.leave({ kind: 'rateLimited', retryAfterMs: 5 });
		slots[1]?.leave({ kind: 'ok' });
		expect(policy.started.mock.calls).toEqual([[1], [2]]);
		expect(policy.answered.mock.calls).toEqual([
			['ticket 1', { kind: 'rateLimited', retryAfterMs: 5 }, 2],
			['ticket 2', { kind: 'ok' }, 1],
		]);
	});

	it('waits as long as the policy says, then asks again', async () => {
		const { clock, policy, enter } = setUp(() => 0);
		policy.wait.mockReturnValueOnce(100).mockReturnValueOnce(50);
		expect(await clock.runUntil(enter())).toBe(150);
	});

	it('starts one sleep for all waiting, and a second one only if it ends earlier', async () => {
		const { clock, policy, enter } = setUp(() => 0);
		const sleep = jest.spyOn(clock, 'sleep');
		policy.wait.mockReturnValueOnce(100).mockReturnValueOnce(100).mockReturnValueOnce(30);
		const entered = Promise.all([enter(), enter(), enter()]);
		expect(sleep.mock.calls).toEqual([[100], [30]]);
		expect(await clock.runUntil(entered)).toEqual([30, 30, 30]);
	});

	it('starts no further sleep when one ends that was too long', async () => {
		const { clock, policy, enter } = setUp(() => Math.max(0, 200 - clock.now()));
		const sleep = jest.spyOn(clock, 'sleep');
		policy.wait.mockReturnValueOnce(100).mockReturnValueOnce(10);
		const entered = Promise.all([enter(), enter()]);
		expect(await clock.runUntil(entered)).toEqual([200, 200]);
		expect(sleep.mock.calls).toEqual([[100], [10], [190]]);
	});

	it('sleeps again after a sleep', async () => {
		const { clock, policy, enter } = setUp(() => 0);
		policy.wait.mockReturnValueOnce(10);
		await clock.runUntil(enter());
		policy.wait.mockReturnValueOnce(10);
		expect(await clock.runUntil(enter())).toBe(20);
	});

	it('serves in order of arrival', async () => {
		const { clock, policy, enter } = setUp(() => 0);
		policy.wait.mockReturnValueOnce(10).mockReturnValueOnce(10);
		const order: string[] = [];
		await clock.runUntil(
			Promise.all([enter().then(() => order.push('a')), enter().then(() => order.push('b'))]),
		);
		expect(order).toEqual(['a', 'b']);
	});

	it('starts eight at a time and lets others work before it continues', async () => {
		const clock = new VirtualClock(0);
		let isOpen = false;
		let inOneGo = 0;
		let most = 0;
		const breathing = {
			now: () => clock.now(),
			wallTime: () => clock.wallTime(),
			timer: (milliseconds: number) => clock.timer(milliseconds),
			sleep: async (milliseconds: number) => {
				await clock.sleep(milliseconds);
				inOneGo = 0;
			},
		};
		const queue = new TestQueue(breathing, {
			wait: () => (isOpen ? 0 : Math.max(1, 10 - clock.now())),
			started: () => String((most = Math.max(most, ++inOneGo))),
			answered: () => {},
		});
		const entered = Promise.all(Array.from({ length: 20 }, async () => await queue.enter()));
		await clock.advance(9);
		isOpen = true;
		await clock.runUntil(entered);
		expect(most).toBe(8);
	});

	it('admits urgent entries before the others, each group in order', async () => {
		const { clock, enter, slots } = setUp((inFlight) => (inFlight < 1 ? 0 : Infinity));
		const order: string[] = [];
		await enter();
		for (const [name, isUrgent] of [
			['new 1', false],
			['new 2', false],
			['again 1', true],
			['again 2', true],
		] as const) {
			void enter(undefined, isUrgent).then(() => order.push(name));
		}
		for (let index = 0; index < 4; index++) {
			slots[index]?.leave({ kind: 'ok' });
			await clock.advance(1);
		}
		expect(order).toEqual(['again 1', 'again 2', 'new 1', 'new 2']);
	});

	it('admits refused entries before new ones', async () => {
		const { clock, enter, slots } = setUp((inFlight) => (inFlight < 1 ? 0 : Infinity));
		const order: string[] = [];
		await enter();
		void enter().then(() => order.push('new'));
		slots[0]?.leave({ kind: 'rateLimited' });
		void enter(undefined, true).then(() => order.push('again'));
		await clock.advance(1);
		expect(order).toEqual(['again']);
	});

	it('turns away urgent entries too when the run is stopped', async () => {
		const { enter } = setUp(() => Infinity);
		const stop = new AbortController();
		const stopped = enter(stop.signal, true);
		stop.abort();
		await expect(stopped).rejects.toThrow(StoppedError);
	});

	it('turns away the waiting entries of a stopped run, and admits others', async () => {
		const { clock, enter, slots } = setUp((inFlight) => (inFlight < 1 ? 0 : Infinity));
		const stop = new AbortController();
		await enter();
		const stopped = enter(stop.signal);
		const other = enter();
		stop.abort();
		await expect(stopped).rejects.toThrow(StoppedError);
		await expect(stopped).rejects.toMatchObject({ name: 'StoppedError' });
		slots[0]?.leave({ kind: 'ok' });
		await clock.runUntil(other);
		expect(slots).toHaveLength(2);
	});

	it('admits nothing after a stop', async () => {
		const { enter, policy } = setUp(() => 0);
		await expect(enter(AbortSignal.abort())).rejects.toThrow(StoppedError);
		expect(policy.started).not.toHaveBeenCalled();
	});

	it('takes back no slot in use when the run is stopped', async () => {
		const { enter, policy } = setUp(() => 0);
		const stop = new AbortController();
		await enter(stop.signal);
		stop.abort();
		expect(policy.answered).not.toHaveBeenCalled();
	});
});
