import fc from 'fast-check';

import { CodeAttempts } from '../../../../nodes/CallVerification/codes/codeAttempts';

const LATER = 1_000;

describe('attempts at a call’s code', () => {
	it('are numbered from 1, separately for each call', () => {
		const attempts = new CodeAttempts();
		expect([attempts.take('a', LATER, 0), attempts.take('a', LATER, 0)]).toEqual([1, 2]);
		expect(attempts.take('b', LATER, 0)).toBe(1);
		expect(attempts.of('a')).toMatchObject({ tried: 2, isUsed: false });
	});

	it('can be given back, and be raised to what others have counted', () => {
		const attempts = new CodeAttempts();
		attempts.take('a', LATER, 0);
		attempts.giveBack('a');
		expect(attempts.of('a').tried).toBe(0);
		attempts.raise('a', 4);
		attempts.raise('a', 2);
		expect(attempts.take('a', LATER, 0)).toBe(5);
	});

	it('remember that the code was used', () => {
		const attempts = new CodeAttempts();
		attempts.take('a', LATER, 0);
		expect(attempts.of('a').isUsed).toBe(false);
		attempts.use('a');
		expect(attempts.of('a').isUsed).toBe(true);
	});

	it('are forgotten once the call has expired', () => {
		const attempts = new CodeAttempts();
		attempts.take('old', 10, 0);
		attempts.take('new', LATER, 10);
		expect(attempts.size).toBe(1);
		expect(attempts.of('old').tried).toBe(0);
	});

	it('never grow beyond their bound, and drop expired ones first', () => {
		const attempts = new CodeAttempts(3);
		attempts.take('live', LATER, 0);
		attempts.take('expired', 10, 0);
		attempts.take('other', LATER, 0);
		attempts.take('new', LATER, 20);
		expect(attempts.of('live').tried).toBe(1);
		expect(attempts.of('expired').tried).toBe(0);

		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(50))), (takes) => {
				const some = new CodeAttempts(5);
				takes.forEach(([call, keep], now) => some.take(String(call), now + keep, now));
				expect(some.size).toBeLessThanOrEqual(5);
			}),
		);
	});
});
