import { Cooldowns } from '../../../../nodes/CallVerification/codes/cooldowns';

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
