import type { NodeRunResult } from '../../harness/engine/n8nCore';
import { CHANCE_MISHAPS, randomMishaps } from './mishap';
import { report, requestFigures } from './report';
import { SEED } from './seed';
import {
	calledNumbers,
	openTestbed,
	phones,
	places,
	placesOf,
	runList,
	startCalls,
	tally,
	type Testbed,
} from './testbed';

const COUNT = 2_000;
const SHARE = 0.2;

let testbed: Testbed;
let result: NodeRunResult;

beforeAll(async () => {
	testbed = await openTestbed(randomMishaps(SEED, SHARE));
	const { door, emulator } = testbed;
	door.after(400, () => door.startStorm(1_000, { 'retry-after': '1' }));
	door.after(900, () => void door.die(3_000));
	door.after(1_600, () => door.startStorm(1_500));
	const startedAt = Date.now();
	result = await runList(testbed, {
		// Up to 5 for chance, and up to 7 for the outage, in which backoffs may be short.
		parameters: startCalls({ maxRetries: 12, timeout: 2 }),
		items: phones(COUNT),
	});
	const made = tally(emulator.ledger.calls.map(({ phone }) => phone));
	report('Calls', {
		items: COUNT,
		...requestFigures(door),
		charged: emulator.ledger.calls.length,
		twice: [...made.values()].filter((count) => count > 1).length,
		missing: COUNT - made.size,
		seconds: (Date.now() - startedAt) / 1_000,
	});
});

afterAll(async () => await testbed.close());

describe('2,000 calls when every fifth request goes wrong', () => {
	it('are all started', () => {
		expect(result.error).toBeUndefined();
		expect(result.success).toHaveLength(COUNT);
	});

	it('are made and charged once each', () => {
		const { ledger } = testbed.emulator;
		const made = tally(ledger.calls.map(({ phone }) => phone));
		expect(made).toEqual(new Map(phones(COUNT).map(({ phone }) => [phone, 1])));
		expect(1_000_000 - ledger.balance).toBeCloseTo(COUNT * 0.4, 6);
	});

	it('come out once each, in order', () => {
		expect(placesOf(result.success)).toEqual(places(phones(COUNT).keys()));
		expect(calledNumbers(result, testbed.emulator)).toEqual(
			phones(COUNT).map(({ phone }) => phone),
		);
	});

	it('are never more than 64 at once', () => {
		expect(testbed.door.peak).toBeLessThanOrEqual(64);
	});

	it('have met every kind of fault', () => {
		const { arrivals } = testbed.door;
		const met = tally(arrivals.map(({ happened }) => happened));
		expect([...met.keys()]).toEqual(
			expect.arrayContaining([...CHANCE_MISHAPS, 'storm'] satisfies string[]),
		);
		const wrong = arrivals.length - (met.get(undefined) ?? 0);
		expect(wrong / arrivals.length).toBeGreaterThan(SHARE * 0.85);
	});
});
