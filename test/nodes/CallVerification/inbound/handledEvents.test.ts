import fc from 'fast-check';

import { HandledEvents } from '../../../../nodes/CallVerification/inbound/handledEvents';

const now = 1_800_000_000;
const day = 24 * 60 * 60;

const claimOf = (key: string, { event = '17', expiresAt = now + 600 } = {}) => ({
	key: ['trigger', key],
	event,
	expiresAt,
});

describe('handled events', () => {
	it('accept an event once (§6.retries)', () => {
		const handled = new HandledEvents();
		expect(handled.claim(claimOf('seal'), now)).toBe('first');
		expect(handled.claim(claimOf('seal'), now)).toBe('repeated');
		expect(handled.claim(claimOf('seal'), now + 599)).toBe('repeated');
	});

	it('distinguish the same event from another under the same key', () => {
		const handled = new HandledEvents();
		handled.claim(claimOf('seal', { event: '17' }), now);
		expect(handled.claim(claimOf('seal', { event: '18' }), now)).toBe('conflicting');
		expect(handled.claim(claimOf('seal', { event: '17' }), now)).toBe('repeated');
	});

	it('accept one of many simultaneous requests', async () => {
		const handled = new HandledEvents();
		const request = async () => {
			await Promise.resolve();
			return handled.claim(claimOf('seal'), now);
		};
		const answers = await Promise.all(Array.from({ length: 50 }, request));
		expect(answers.filter((answer) => answer === 'first')).toHaveLength(1);
	});

	it('distinguish keys, whatever is in them', () => {
		const handled = new HandledEvents();
		const keys = [
			['a', 'bc'],
			['ab', 'c'],
			['a', 'b', 'c'],
			['a","b', 'c'],
			['__proto__', 'constructor'],
			['a', '\ud800'],
			['a', '\ufffd'],
			['a', ''],
			['a'],
		];
		const results = keys.map((key) => handled.claim({ key, event: '17', expiresAt: now + 1 }, now));
		expect(results).toEqual(keys.map(() => 'first'));
	});

	it.each([60, 31 * day])('remember a seal that lives %i s until it expires', (life) => {
		const handled = new HandledEvents();
		const claim = claimOf('seal', { expiresAt: now + life });
		handled.claim(claim, now);
		expect(handled.claim(claim, now + life - 0.001)).toBe('repeated');
		expect(handled.claim(claim, now + life)).toBe('first');
	});

	it('still recognize a repeat after the clock was set back', () => {
		const handled = new HandledEvents();
		handled.claim(claimOf('seal'), now);
		expect(handled.claim(claimOf('seal'), now - 3600)).toBe('repeated');
	});

	it('accept a released event again, and only that one', () => {
		const handled = new HandledEvents();
		handled.claim(claimOf('a'), now);
		handled.claim(claimOf('b'), now);
		handled.release(claimOf('a'));
		expect(handled.claim(claimOf('a', { event: '18' }), now)).toBe('first');
		expect(handled.claim(claimOf('b'), now)).toBe('repeated');
	});

	it('ignore the release of an event that was never claimed', () => {
		const handled = new HandledEvents();
		handled.claim(claimOf('a'), now);
		handled.release(claimOf('b'));
		handled.release(claimOf('b'));
		expect(handled.size).toBe(1);
		expect(handled.claim(claimOf('a'), now)).toBe('repeated');
	});

	it('hold 100,000 events, and forget those first that expire soonest', () => {
		const handled = new HandledEvents();
		const expiryOf = (event: number) => now + 1 + ((event * 7_919 + 50_000) % 100_003);
		const events = Array.from({ length: 100_000 }, (_, index) => index);
		const claim = (event: number) =>
			handled.claim(claimOf(String(event), { expiresAt: expiryOf(event) }), now);
		for (const event of events) claim(event);
		expect(handled.size).toBe(100_000);

		const [soonest = 0, second = 0] = events.sort((a, b) => expiryOf(a) - expiryOf(b));
		expect(handled.claim(claimOf('late', { expiresAt: now + 31 * day }), now)).toBe('first');
		expect(handled.size).toBe(100_000);
		expect(claim(second)).toBe('repeated');
		expect(claim(soonest)).toBe('first');
	});

	it('take about the same time per event when full', () => {
		/** The fastest of ten rounds, because the machine may stand still in the others. */
		const fastestRound = (size: number) => {
			const handled = new HandledEvents();
			for (let event = 0; event < size; event += 1) {
				handled.claim(claimOf(String(event), { expiresAt: now + 1 + (event % 999) }), now);
			}
			const rounds = Array.from({ length: 10 }, (_, round) => {
				const started = performance.now();
				for (let event = 0; event < 1_000; event += 1) {
					const claim = claimOf(`${round}/${event}`, { expiresAt: now + 2 + (event % 999) });
					handled.claim(claim, now);
					if (event % 2 === 0) handled.release(claim);
				}
				return performance.now() - started;
			});
			expect(handled.size).toBeLessThanOrEqual(100_000);
			return Math.min(...rounds);
		};
		// Scanning all entries for each event would take 28 times as long.
		expect(fastestRound(100_000) / fastestRound(1_000)).toBeLessThan(5);
	});

	it('drop what has expired', () => {
		const handled = new HandledEvents();
		for (let event = 0; event < 100; event += 1) handled.claim(claimOf(String(event)), now);
		handled.claim(claimOf('later', { expiresAt: now + 601 }), now + 600);
		expect(handled.size).toBe(1);
	});

	const steps = fc.array(
		fc.record({
			release: fc.boolean(),
			key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
			event: fc.constantFrom('1', '2'),
			life: fc.integer({ min: 1, max: 20 }),
			pause: fc.nat({ max: 4 }),
		}),
		{ size: 'medium' },
	);

	it('behave like an unbounded memory as long as they are not full', () => {
		fc.assert(
			fc.property(steps, (taken) => {
				const handled = new HandledEvents();
				const model = new Map<string, { event: string; expiresAt: number }>();
				let clock = now;
				for (const { release, key, event, life, pause } of taken) {
					clock += pause;
					if (release) {
						handled.release(claimOf(key));
						model.delete(key);
						continue;
					}
					const claim = { event, expiresAt: clock + life };
					const known = model.get(key);
					const earlier = known !== undefined && known.expiresAt > clock ? known : undefined;
					const expected = earlier?.event === event ? 'repeated' : 'conflicting';
					expect(handled.claim(claimOf(key, claim), clock)).toBe(
						earlier === undefined ? 'first' : expected,
					);
					if (earlier === undefined) model.set(key, claim);
				}
			}),
			{ numRuns: 1000 },
		);
	});

	it('never grow beyond their bound, and lose no count', () => {
		fc.assert(
			fc.property(steps, (taken) => {
				const handled = new HandledEvents(3);
				for (const { release, key, event, life } of taken) {
					if (release) handled.release(claimOf(key));
					else handled.claim(claimOf(key, { event, expiresAt: now + life }), now);
					expect(handled.size).toBeLessThanOrEqual(3);
				}
				for (const { key } of taken) handled.release(claimOf(key));
				expect(handled.size).toBe(0);
			}),
			{ numRuns: 1000 },
		);
	});
});
