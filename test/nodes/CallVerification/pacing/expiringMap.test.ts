import { createHash } from 'node:crypto';

import fc from 'fast-check';

import { ExpiringMap } from '../../../../nodes/CallVerification/pacing/expiringMap';

const mapOf = (capacity: number, expiries: Record<string, number>) => {
	const map = new ExpiringMap(capacity);
	for (const [id, expiresAt] of Object.entries(expiries)) map.add(id, { expiresAt }, 0);
	return map;
};

describe('a map of entries that expire', () => {
	it('forgets what has expired when something is added', () => {
		const map = mapOf(10, { old: 10, older: 5, live: 11 });
		map.add('new', { expiresAt: 20 }, 10);
		expect([...map.keys()]).toEqual(['live', 'new']);
	});

	it('finds nothing that has expired', () => {
		const map = mapOf(10, { old: 10, live: 11 });
		expect([map.find('old', 10), map.find('live', 10)]).toEqual([undefined, { expiresAt: 11 }]);
	});

	it('keeps its bound even if hardly any expiry is a number', () => {
		const map = mapOf(20, { live: 9 });
		for (let id = 0; id < 20; id += 1) map.add(String(id), { expiresAt: NaN }, 0);
		expect(map.size).toBe(20);
	});

	it('forgets those first that expire soonest when it is full, and the oldest of several', () => {
		const map = mapOf(3, { late: 9, soon: 5, alsoSoon: 5 });
		map.add('a', { expiresAt: Infinity }, 1);
		expect([...map.keys()]).toEqual(['late', 'alsoSoon', 'a']);
		for (const id of ['b', 'c', 'd']) map.add(id, { expiresAt: Infinity }, 1);
		expect([...map.keys()]).toEqual(['b', 'c', 'd']);
	});

	it('does not forget an entry for when an earlier one with its ID would have expired', () => {
		const map = mapOf(20, Object.fromEntries(Array.from({ length: 20 }, (_, id) => [id, id + 1])));
		map.add('a', { expiresAt: 99 }, 0);
		map.add('1', { expiresAt: 99 }, 0);
		for (const id of ['b', 'c', 'd']) map.add(id, { expiresAt: 99 }, 0);
		expect(map.has('1')).toBe(true);
		expect(map.size).toBe(20);
	});

	it('never grows beyond its bound', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(50))), (adds) => {
				const map = new ExpiringMap(5);
				adds.forEach(([id, life], now) => map.add(String(id), { expiresAt: now + life }, now));
				expect(map.size).toBeLessThanOrEqual(5);
			}),
		);
	});

	it('forgets the soonest of 100,000, and no other', () => {
		const map = new ExpiringMap(100_000);
		const expiryOf = (id: number) => 1 + ((id * 7_919 + 50_000) % 100_003);
		const ids = Array.from({ length: 100_000 }, (_, id) => id);
		for (const id of ids) map.add(String(id), { expiresAt: expiryOf(id) }, 0);
		expect(map.size).toBe(100_000);
		const [soonest, second] = ids.sort((a, b) => expiryOf(a) - expiryOf(b));
		map.add('late', { expiresAt: Infinity }, 0);
		expect(map.size).toBe(100_000);
		expect([map.has(String(soonest)), map.has(String(second))]).toEqual([false, true]);
	});

	it('takes about the same time per entry when full', () => {
		/** The fastest of ten rounds, because the machine may stand still in the others. */
		const fastestRound = (size: number) => {
			const map = new ExpiringMap(100_000);
			for (let id = 0; id < size; id += 1) map.add(String(id), { expiresAt: 1 + (id % 999) }, 0);
			const rounds = Array.from({ length: 10 }, (_, round) => {
				const started = performance.now();
				for (let entry = 0; entry < 1_000; entry += 1) {
					const id = createHash('sha256').update(`${round}/${entry}`).digest('base64url');
					map.add(id, { expiresAt: 2 + (entry % 999) }, 0);
					if (entry % 2 === 0) map.delete(id);
				}
				return performance.now() - started;
			});
			expect(map.size).toBeLessThanOrEqual(100_000);
			return Math.min(...rounds);
		};
		// Scanning all entries for each new one would take far longer.
		expect(fastestRound(100_000) / fastestRound(1_000)).toBeLessThan(5);
	});
});
