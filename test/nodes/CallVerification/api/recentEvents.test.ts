import fc from 'fast-check';
import { RecentEvents } from '../../../../nodes/CallVerification/api/recentEvents';

const now = 1_800_000_000;
const day = 24 * 60 * 60;

describe('recent events', () => {
	it('let a call through once', () => {
		const recent = new RecentEvents();
		expect(recent.claim('w1/n1', '17', now)).toBe(true);
		expect(recent.claim('w1/n1', '17', now)).toBe(false);
		expect(recent.claim('w1/n1', '17', now + 3600)).toBe(false);
	});

	it('let one of many simultaneous requests through', async () => {
		const recent = new RecentEvents();
		const request = async () => {
			await Promise.resolve();
			return recent.claim('w1/n1', '17', now);
		};
		const answers = await Promise.all(Array.from({ length: 50 }, request));
		expect(answers.filter(Boolean)).toHaveLength(1);
	});

	it('tell calls and scopes apart', () => {
		const recent = new RecentEvents();
		const claims = [
			['a', 'bc'],
			['ab', 'c'],
			['a', 'b'],
			['__proto__', 'constructor'],
			['a', '\ud800'],
			['a', '\ufffd'],
			['a', ''],
		] as const;
		expect(claims.map(([scope, callId]) => recent.claim(scope, callId, now))).toEqual(
			claims.map(() => true),
		);
	});

	it('forget a call after a day', () => {
		const recent = new RecentEvents();
		recent.claim('s', '17', now);
		expect(recent.claim('s', '17', now + day - 1)).toBe(false);
		expect(recent.claim('s', '17', now + day)).toBe(true);
		expect(recent.claim('s', '17', now + day + 1)).toBe(false);
	});

	it('still know a duplicate after the clock was set back', () => {
		const recent = new RecentEvents();
		recent.claim('s', '17', now);
		expect(recent.claim('s', '17', now - 3600)).toBe(false);
	});

	it('forget in time even what the clock put out of order', () => {
		const recent = new RecentEvents();
		recent.claim('s', 'from the future', now + 3600);
		recent.claim('s', '17', now);
		expect(recent.claim('s', '17', now + day)).toBe(true);
		expect(recent.size).toBe(2);
	});

	it('let a released call through again, and only that one', () => {
		const recent = new RecentEvents();
		recent.claim('s', '17', now);
		recent.claim('s', '18', now);
		recent.release('s', '17');
		expect(recent.claim('s', '17', now)).toBe(true);
		expect(recent.claim('s', '18', now)).toBe(false);
	});

	it('bear the release of a call that nobody claimed', () => {
		const recent = new RecentEvents();
		recent.claim('s', '17', now);
		recent.release('s', '18');
		recent.release('another', '17');
		expect(recent.size).toBe(1);
		expect(recent.claim('s', '17', now)).toBe(false);
	});

	it('hold 10,000 calls of one scope, and drop the oldest first', () => {
		const recent = new RecentEvents();
		for (let call = 0; call <= 10_000; call += 1) recent.claim('s', String(call), now);
		expect(recent.size).toBe(10_000);
		expect(recent.claim('s', '1', now)).toBe(false);
		expect(recent.claim('s', '0', now)).toBe(true);
	});

	it('hold 100,000 calls over all scopes', () => {
		const recent = new RecentEvents();
		for (let call = 0; call <= 100_000; call += 1) recent.claim(`s${call}`, '17', now);
		expect(recent.size).toBe(100_000);
		expect(recent.claim('s100000', '17', now)).toBe(false);
		expect(recent.claim('s0', '17', now)).toBe(true);
	});

	it('take room from the scope that was quiet for longest', () => {
		const recent = new RecentEvents({ maxTotal: 3 });
		recent.claim('quiet', '1', now);
		recent.claim('busy', '1', now);
		recent.claim('busy', '2', now);
		recent.claim('quiet', '1', now);
		recent.claim('new', '1', now);
		expect(recent.claim('quiet', '1', now)).toBe(false);
		expect(recent.claim('busy', '2', now)).toBe(false);
		expect(recent.claim('busy', '1', now)).toBe(true);
	});

	it('drop what is too old to matter', () => {
		const recent = new RecentEvents();
		for (let call = 0; call < 100; call += 1) recent.claim('s', String(call), now);
		recent.claim('s', 'next day', now + day);
		expect(recent.size).toBe(1);
	});

	it('behave like an unbounded memory as long as the bounds are not reached', () => {
		const steps = fc.array(
			fc.record({
				release: fc.boolean(),
				scope: fc.constantFrom('a', 'b'),
				callId: fc.constantFrom('1', '2', '3'),
				pause: fc.nat({ max: 6 }),
			}),
		);
		fc.assert(
			fc.property(steps, (taken) => {
				const recent = new RecentEvents({ windowSeconds: 10 });
				const model = new Map<string, number>();
				let clock = now;
				for (const { release, scope, callId, pause } of taken) {
					clock += pause;
					const event = `${scope} ${callId}`;
					if (release) {
						recent.release(scope, callId);
						model.delete(event);
						continue;
					}
					const isFirst = clock - (model.get(event) ?? -Infinity) >= 10;
					if (isFirst) model.set(event, clock);
					expect(recent.claim(scope, callId, clock)).toBe(isFirst);
				}
			}),
			{ numRuns: 1000 },
		);
	});

	it('never grow beyond their bounds, and lose no count', () => {
		const steps = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 20 }), fc.boolean()), {
			size: 'medium',
		});
		fc.assert(
			fc.property(steps, (taken) => {
				const recent = new RecentEvents({ maxPerScope: 3, maxTotal: 7 });
				const scopes = new Set<number>();
				for (const [scope, callId, release] of taken) {
					scopes.add(scope);
					if (release) recent.release(String(scope), String(callId));
					else recent.claim(String(scope), String(callId), now);
					expect(recent.size).toBeLessThanOrEqual(Math.min(7, 3 * scopes.size));
				}
				for (const [scope, callId] of taken) recent.release(String(scope), String(callId));
				expect(recent.size).toBe(0);
			}),
			{ numRuns: 1000 },
		);
	});
});
