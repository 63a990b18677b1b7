import type { NodeRunResult } from '../../harness/engine/n8nCore';
import { EVERY_MISHAP, randomMishaps } from './mishap';
import { report, requestFigures } from './report';
import { SEED } from './seed';
import {
	checkPhones,
	openTestbed,
	phones,
	places,
	placesOf,
	runList,
	tally,
	type Testbed,
} from './testbed';

const COUNT = 2_000;
const SHARE = 0.2;
const CONCURRENCY = 24;

let testbed: Testbed;
let result: NodeRunResult;

beforeAll(async () => {
	testbed = await openTestbed(randomMishaps(SEED, SHARE, EVERY_MISHAP), { latencyMs: 10 });
	const { door, emulator } = testbed;
	door.after(600, () => void door.die(3_000));
	door.after(1_200, () => door.startStorm(1_000, { 'retry-after': '1' }));
	const startedAt = Date.now();
	result = await runList(testbed, {
		// Up to 5 for chance, and up to 7 for the outage, in which backoffs may be short.
		parameters: checkPhones({ maxRetries: 12, timeout: 6, concurrency: CONCURRENCY }),
		items: phones(COUNT),
	});
	const { checks } = emulator.ledger;
	const charges = tally(checks.map(({ source }) => source));
	report('Checks', {
		items: COUNT,
		...requestFigures(door),
		charged: checks.length,
		'charged again after a lost answer': checks.length - charges.size,
		missing: COUNT - charges.size,
		seconds: (Date.now() - startedAt) / 1_000,
	});
});

afterAll(async () => await testbed.close());

describe('2,000 checks when every fifth request goes wrong', () => {
	it('are all done', () => {
		expect(result.error).toBeUndefined();
		expect(result.success).toHaveLength(COUNT);
	});

	it('come out once each, in order', () => {
		expect(placesOf(result.success)).toEqual(places(phones(COUNT).keys()));
		expect(result.success.map(({ json }) => json.source)).toEqual(
			phones(COUNT).map(({ phone }) => phone),
		);
	});

	it('are charged again only if the answer was lost, because the service takes no key for them', () => {
		const { door, emulator } = testbed;
		const lost = tally(
			door.arrivals.flatMap(({ asked, worked, delivered }) => (worked && !delivered ? asked : [])),
		);
		const charges = tally(emulator.ledger.checks.map(({ source }) => source));
		expect(charges).toEqual(
			new Map(phones(COUNT).map(({ phone }) => [phone, 1 + (lost.get(phone) ?? 0)])),
		);
	});

	it('are never more at once than configured', () => {
		expect(testbed.door.peak).toBeLessThanOrEqual(CONCURRENCY);
	});

	it('have met every kind of fault', () => {
		const met = new Set(testbed.door.arrivals.map(({ happened }) => happened));
		expect([...met]).toEqual(expect.arrayContaining([...EVERY_MISHAP, 'storm'] satisfies string[]));
	});
});
