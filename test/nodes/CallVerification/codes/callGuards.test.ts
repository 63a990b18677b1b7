import fc from 'fast-check';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	CallGuards,
	CallsPerHour,
	idempotencyKey,
} from '../../../../nodes/CallVerification/codes/callGuards';
import { LostAttempts } from '../../../../nodes/CallVerification/pacing/retry';
import type { PhoneDigits } from '../../../../nodes/CallVerification/phones/phone';
import { systemClock } from '../../../../nodes/CallVerification/transport/pipeline';

const ACCESS = { baseUrl: 'https://service.test', secretKey: 'key', serviceId: '1' } as const;

let numbers = 79_000_000_000;

describe('the key of a cooldown', () => {
	interface Start {
		readonly pass?: number;
		readonly isTool?: boolean;
		/** Whether the call may have been made. */
		readonly isMade?: boolean;
		/** Whether the service knew the key. */
		readonly exists?: boolean;
		readonly cooldown?: number;
		/** Resolves or rejects when the service answers. */
		readonly answer?: Promise<void>;
	}

	/** One execution: each start returns the key that it used at that minute. */
	const execution = (phone: PhoneDigits) => {
		const memory = {};
		return async (minute: number, start: Start = {}) => {
			const { pass = 0, isTool = false, isMade = true, exists = false, cooldown = 10 } = start;
			const context: Pick<
				IExecuteFunctions,
				'getContext' | 'getWorkflow' | 'getNode' | 'evaluateExpression'
			> = {
				getContext: () => memory,
				getWorkflow: () => ({ id: 'w', active: true }),
				getNode: () => ({ id: 'n' }) as ReturnType<IExecuteFunctions['getNode']>,
				evaluateExpression: () => pass,
			};
			const clock = { ...systemClock, wallTime: () => minute * 60_000 };
			const guards = new CallGuards(context as IExecuteFunctions, ACCESS, clock, isTool);
			const attempts = new LostAttempts();
			let used = '';
			await guards
				.withCooldown(phone, cooldown, attempts, async (key) => {
					used = key;
					await start.answer?.catch((error: unknown) => {
						attempts.lost();
						throw error;
					});
					if (!isMade) throw new Error('refused');
					return { exists };
				})
				.catch(() => undefined);
			return used;
		};
	};
	const aNumber = () => ++numbers as PhoneDigits;
	const notMade = { isMade: false };

	it('stays the same while a pass is retried, and follows the time in the next pass', async () => {
		const phone = aNumber();
		const keyAt = execution(phone);
		const first = await keyAt(1_009, notMade);
		expect(await keyAt(1_011, notMade)).toBe(first);
		const second = await keyAt(1_011, { ...notMade, pass: 1 });
		expect(second).not.toBe(first);
		expect(second).toBe(await execution(phone)(1_015, notMade));
	});

	it('stays the same for a tool, because n8n counts its retries as passes', async () => {
		const keyAt = execution(aNumber());
		const tool = { ...notMade, isTool: true };
		expect(await keyAt(1_011, { ...tool, pass: 1 })).toBe(await keyAt(1_009, tool));
	});

	it('stays the same until the minutes have passed, whatever the slot', async () => {
		const phone = aNumber();
		const first = await execution(phone)(1_009.9);
		expect(await execution(phone)(1_010.1)).toBe(first);
		// Being asked again does not make the wait longer.
		expect(await execution(phone)(1_019.8, { exists: true })).toBe(first);
		const second = await execution(phone)(1_019.9);
		expect(second).not.toBe(first);
		expect(await execution(phone)(1_029.8)).toBe(second);
	});

	it('is the last one of the number, whatever the length of that cooldown', async () => {
		const phone = aNumber();
		const first = await execution(phone)(1_000, { cooldown: 2 });
		expect(await execution(phone)(1_005, { cooldown: 10 })).toBe(first);
		expect(await execution(phone)(1_005, { cooldown: 5 })).not.toBe(first);
	});

	it.each([
		['was not made', notMade],
		['another process has made before', { exists: true }],
	])('is not remembered for a call that %s', async (_what, start) => {
		const phone = aNumber();
		const first = await execution(phone)(1_009.9, start);
		expect(await execution(phone)(1_010.1)).not.toBe(first);
	});

	it('is remembered when the answer is lost after the call may have been made', async () => {
		const phone = aNumber();
		const lost = { answer: Promise.reject(new Error('lost')) };
		const first = await execution(phone)(1_009.9, lost);
		expect(await execution(phone)(1_010.1)).toBe(first);
	});

	it('is shared by two starts at once, even across the end of a slot', async () => {
		const phone = aNumber();
		let refuse = () => {};
		const answer = new Promise<void>((resolve) => (refuse = resolve));
		const first = execution(phone)(1_009.9999, { answer, isMade: false });
		const second = execution(phone)(1_010.0001);
		const key = await second;
		refuse();
		expect(await first).toBe(key);
		// The first was refused, but the second has made the call.
		expect(await execution(phone)(1_015)).toBe(key);
	});

	it('is not forgotten when a start that used an older one is refused late', async () => {
		const phone = aNumber();
		let refuse = () => {};
		const answer = new Promise<void>((resolve) => (refuse = resolve));
		const first = execution(phone)(1_000, { answer, isMade: false });
		const second = await execution(phone)(1_019);
		refuse();
		expect(await first).not.toBe(second);
		expect(await execution(phone)(1_021)).toBe(second);
	});

	it('does not outlive a clock that was set back', async () => {
		const phone = aNumber();
		const first = await execution(phone)(2_000);
		expect(await execution(phone)(1_995)).toBe(first);
		expect(await execution(phone)(1_985)).not.toBe(first);
	});
});

describe('an idempotency key', () => {
	const parts = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(undefined)));

	it('has the shape of a UUID v4', () => {
		fc.assert(
			fc.property(parts, (values) =>
				/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(
					idempotencyKey(values),
				),
			),
		);
	});

	it('is the same for the same parts and differs for other parts', () => {
		fc.assert(
			fc.property(parts, parts, (a, b) => {
				const equal = JSON.stringify(a) === JSON.stringify(b);
				return (
					idempotencyKey([...a]) === idempotencyKey(a) &&
					(idempotencyKey(a) === idempotencyKey(b)) === equal
				);
			}),
		);
	});
});

const HOUR = 3_600_000;

describe('calls per hour', () => {
	it('are counted per node, for an hour', () => {
		const calls = new CallsPerHour<string>();
		expect(calls.claim('a', '1', 1, 0)).toBe(true);
		expect(calls.claim('a', '2', 1, HOUR - 1)).toBe(false);
		expect(calls.claim('b', '2', 1, 0)).toBe(true);
		expect(calls.claim('a', '2', 1, HOUR)).toBe(true);
	});
	it('count a start that n8n repeats once', () => {
		const calls = new CallsPerHour<string>();
		expect(calls.claim('a', '1', 1, 0)).toBe(true);
		expect(calls.claim('a', '1', 1, 1)).toBe(true);
		expect(calls.claim('a', '2', 1, 2)).toBe(false);
	});

	it('count no call that was not made, but one that another start with its key has made or may make', () => {
		const calls = new CallsPerHour<string>();
		calls.claim('a', '1', 1, 0);
		calls.claim('a', '1', 1, 0);
		calls.release('a', '1');
		expect(calls.claim('a', '2', 1, 0)).toBe(false);
		calls.release('a', '1');
		expect(calls.claim('a', '2', 1, 0)).toBe(true);
	});

	it('do not pile up for keys that strangers choose', () => {
		const calls = new CallsPerHour<string>();
		for (let key = 0; key < 1_000; key++) calls.claim(`node ${key}`, 'call', 5, key);
		expect(calls.size).toBe(1_000);
		calls.claim('node 0', 'another call', 5, HOUR - 1);
		calls.claim('node', 'call', 5, HOUR + 499);
		// 500 to 999, the new one, and the first, which was used again.
		expect(calls.size).toBe(502);
		expect(calls.claim('node 0', 'third call', 1, HOUR + 500)).toBe(false);
	});
});
