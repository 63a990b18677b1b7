import { defineMethod } from '../../emulator/methods/method';

/** Held by the compiler: `npm run typecheck` fails where it does not object. */
describe('the answer of an emulated method', () => {
	it('has the fields of the contract, each of its type, at every depth', () => {
		const verbs = ['GET'];
		const methods = [
			defineMethod('getBalance', { verbs, answer: () => ({ rub_balance: 1 }) }),
			// @ts-expect-error another type
			defineMethod('getBalance', { verbs, answer: () => ({ rub_balance: '1' }) }),
			// @ts-expect-error another name
			defineMethod('getBalance', { verbs, answer: () => ({ rub_balance: 1, tarif: 'x' }) }),
			// @ts-expect-error another type in a list
			defineMethod('getAccount', { verbs, answer: () => ({ logs: [{ created: 'today' }] }) }),
			// @ts-expect-error another name in a list
			defineMethod('getAccount', { verbs, answer: () => ({ logs: [{ action: 'x', when: 1 }] }) }),
			// @ts-expect-error another name in an object
			defineMethod('getInfo', { verbs, answer: () => ({ phone_info: { city: 'x' } }) }),
		];
		expect(methods).toHaveLength(6);
	});
});
