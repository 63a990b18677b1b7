import { CallsPerHour, Cooldowns } from '../../../../nodes/CallVerification/codes/callLimits';

const HOUR = 3_600_000;

describe('calls per hour', () => {
	it('are counted per node', () => {
		const calls = new CallsPerHour();
		expect(calls.claim('a', '1', 1, 0)).toBe(true);
		expect(calls.claim('a', '2', 1, HOUR - 1)).toBe(false);
		expect(calls.claim('b', '2', 1, 0)).toBe(true);
	});

	it('are forgotten after an hour', () => {
		const calls = new CallsPerHour();
		calls.claim('a', '1', 1, 0);
		expect(calls.claim('a', '2', 1, HOUR)).toBe(true);
	});

	it('count a start that n8n repeats once', () => {
		const calls = new CallsPerHour();
		expect(calls.claim('a', '1', 1, 0)).toBe(true);
		expect(calls.claim('a', '1', 1, 1)).toBe(true);
		expect(calls.claim('a', '2', 1, 2)).toBe(false);
	});

	it('do not count a call that was not made', () => {
		const calls = new CallsPerHour();
		calls.claim('a', '1', 1, 0);
		calls.release('a', '1');
		expect(calls.claim('a', '2', 1, 0)).toBe(true);
	});

	it('count a call that another start with the same key has made, or may still make', () => {
		const calls = new CallsPerHour();
		calls.claim('a', '1', 1, 0);
		calls.claim('a', '1', 1, 0);
		calls.release('a', '1');
		expect(calls.claim('a', '2', 1, 0)).toBe(false);
		calls.release('a', '1');
		expect(calls.claim('a', '2', 1, 0)).toBe(true);
	});

	it('do not pile up for keys that strangers choose', () => {
		const calls = new CallsPerHour();
		for (let key = 0; key < 1_000; key++) calls.claim(`node ${key}`, 'call', 5, key);
		expect(calls.size).toBe(1_000);
		calls.claim('node 0', 'another call', 5, HOUR - 1);
		calls.claim('node', 'call', 5, HOUR + 499);
		// 500 to 999, the new one, and the first, which was used again.
		expect(calls.size).toBe(502);
		expect(calls.claim('node 0', 'third call', 1, HOUR + 500)).toBe(false);
	});
});

describe('cooldowns', () => {
	it('never grow beyond their bound, and forget the oldest call first', () => {
		const cooldowns = new Cooldowns(3);
		const keyOf = (number: string, now: number) =>
			cooldowns.claim(number, 100, now, () => `${number} at ${now}`);
		for (const [now, number] of ['a', 'b', 'c', 'd'].entries()) keyOf(number, now);
		expect(cooldowns.size).toBe(3);
		expect(keyOf('b', 5)).toBe('b at 1');
		expect(keyOf('a', 5)).toBe('a at 5');
	});

	it('are not ended by a start that used an older key', () => {
		const cooldowns = new Cooldowns();
		cooldowns.claim('a', 10, 0, () => 'old');
		cooldowns.claim('a', 10, 10, () => 'new');
		cooldowns.release('a', 'old');
		expect(cooldowns.claim('a', 10, 11, () => 'newest')).toBe('new');
	});
});
