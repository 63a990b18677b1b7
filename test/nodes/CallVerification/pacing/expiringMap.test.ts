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

	it('forgets in the order of expiry, one for each that is added', () => {
		// 17 and 41 have no common factor, so all expiries differ.
		const expiryOf = (id: number) => 1 + ((id * 17 + 5) % 41);
		const ids = Array.from({ length: 40 }, (_, id) => id);
		const map = mapOf(40, Object.fromEntries(ids.map((id) => [`entry ${id}`, expiryOf(id)])));
		const soonestFirst = [...ids].sort((one, other) => expiryOf(one) - expiryOf(other));
		for (const [index, id] of soonestFirst.entries()) {
			expect(map.has(`entry ${id}`)).toBe(true);
			map.add(`new ${index}`, { expiresAt: Infinity }, 0);
			expect(map.has(`entry ${id}`)).toBe(false);
			expect(map.size).toBe(40);
		}
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

	it('looks for what to forget once for a tenth of its entries', () => {
		let searches = 0;
		class Watched extends ExpiringMap<{ expiresAt: number }> {
			override values() {
				searches += 1;
				return super.values();
			}
		}
		const map = new Watched(1_000);
		for (let id = 0; id < 2_000; id += 1) map.add(String(id), { expiresAt: 1 + (id % 999) }, 0);
		expect(map.size).toBe(1_000);
		expect(searches).toBeLessThanOrEqual(10);
	});
});
