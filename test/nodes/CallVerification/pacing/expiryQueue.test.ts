import fc from 'fast-check';

import { ExpiryQueue } from '../../../../nodes/CallVerification/pacing/expiryQueue';

const entryOf = (expiresAt: number) => ({ expiresAt, place: 0 });

describe('an expiry queue', () => {
	it('is empty at first', () => {
		expect(new ExpiryQueue().soonest).toBeUndefined();
	});

	it('always knows which entry expires soonest, whatever is added and removed', () => {
		const steps = fc.array(
			fc.oneof(
				{ weight: 3, arbitrary: fc.record({ add: fc.nat({ max: 50 }) }) },
				{ weight: 2, arbitrary: fc.record({ remove: fc.nat() }) },
			),
			{ size: 'medium' },
		);
		fc.assert(
			fc.property(steps, (taken) => {
				const queue = new ExpiryQueue();
				const held: Array<{ expiresAt: number; place: number }> = [];
				for (const step of taken) {
					if ('add' in step) {
						const entry = entryOf(step.add);
						held.push(entry);
						queue.add(entry);
					} else {
						const [entry] = held.splice(step.remove % Math.max(1, held.length), 1);
						if (entry !== undefined) queue.remove(entry);
					}
					const soonest = held.map(({ expiresAt }) => expiresAt).sort((a, b) => a - b)[0];
					expect(queue.soonest?.expiresAt).toBe(soonest);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it('returns its entries in order of expiry', () => {
		fc.assert(
			fc.property(fc.array(fc.nat()), (expiries) => {
				const queue = new ExpiryQueue();
				for (const expiresAt of expiries) queue.add(entryOf(expiresAt));
				const order: number[] = [];
				for (let next = queue.soonest; next !== undefined; next = queue.soonest) {
					order.push(next.expiresAt);
					queue.remove(next);
				}
				expect(order).toEqual([...expiries].sort((a, b) => a - b));
			}),
		);
	});
});
