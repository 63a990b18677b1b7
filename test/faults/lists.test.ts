import type { Emulator } from '../../emulator/emulator';
import type { NodeRunResult } from '../../harness/engine/n8nCore';
import { Seed } from '../seed';
import type { Door } from './door';
import { CHANCE_MISHAPS, EVERY_MISHAP, randomMishaps } from './mishap';
import {
	checkPhones,
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
const seed = new Seed('FAULT_SEED');
const numbers = phones(COUNT).map(({ phone }) => phone);
/** In seconds. What is only late must never be taken for lost: the machine may stand still for some of them. */
const PATIENCE = 20;
/** Up to 5 for chance, and up to 7 for the outage, in which backoffs may be short. */
const maxRetries = 12;

const LISTS = [
	{
		what: 'calls',
		mishaps: CHANCE_MISHAPS,
		settings: {},
		parameters: startCalls({ maxRetries, timeout: 2 }),
		most: 64,
		price: 0.4,
		plan: (door: Door) => {
			door.after(400, () => door.startStorm(1_000, { 'retry-after': '1' }));
			door.after(900, () => void door.die(3_000));
			door.after(1_600, () => door.startStorm(1_500));
		},
		charged: ({ ledger }: Emulator) => ledger.calls.map(({ phone }) => phone),
		/** With their idempotency keys, no lost answer costs a second call. */
		chargedAgain: () => new Map<string, number>(),
		cameOut: ({ success }: NodeRunResult, { ledger }: Emulator) => {
			const byKey = new Map<unknown, string>(
				ledger.calls.map(({ unique, phone }) => [unique, phone]),
			);
			return success.map(({ json }) => byKey.get(json.unique_request_id));
		},
	},
	{
		what: 'checks',
		mishaps: EVERY_MISHAP,
		settings: { latencyMs: 10 },
		parameters: checkPhones({ maxRetries, timeout: PATIENCE, concurrency: 24 }),
		most: 24,
		price: 0.05,
		plan: (door: Door) => {
			door.after(600, () => void door.die(3_000));
			door.after(1_200, () => door.startStorm(1_000, { 'retry-after': '1' }));
		},
		charged: ({ ledger }: Emulator) => ledger.checks.map(({ source }) => source),
		/** The service takes no key for them. */
		chargedAgain: ({ arrivals }: Door) =>
			tally(
				arrivals.flatMap(({ asked, worked, delivered }) => (worked && !delivered ? asked : [])),
			),
		cameOut: ({ success }: NodeRunResult) => success.map(({ json }) => json.source),
	},
];

describe.each(LISTS)('2,000 $what when every fifth request goes wrong', (list) => {
	let testbed: Testbed;
	let result: NodeRunResult;

	beforeAll(async () => {
		testbed = await openTestbed(randomMishaps(seed.value, SHARE, list.mishaps), list.settings);
		const { door, emulator } = testbed;
		list.plan(door);
		const startedAt = Date.now();
		result = await runList(testbed, { parameters: list.parameters, items: phones(COUNT) });
		const mishaps = door.arrivals.flatMap(({ happened }) => happened ?? []);
		const charges = list.charged(emulator);
		seed.report(list.what, {
			items: COUNT,
			requests: door.arrivals.length,
			'gone wrong': `${((100 * mishaps.length) / door.arrivals.length).toFixed(1)} %`,
			...Object.fromEntries([...tally(mishaps)].sort(([one], [other]) => (one < other ? -1 : 1))),
			'most at once': door.peak,
			charged: charges.length,
			'charged again': charges.length - new Set(charges).size,
			missing: COUNT - new Set(charges).size,
			seconds: (Date.now() - startedAt) / 1_000,
		});
	});

	afterAll(async () => await testbed.close());

	it('are all done, and come out once each, in order', () => {
		expect(result.error).toBeUndefined();
		expect(placesOf(result.success)).toEqual(places(numbers.keys()));
		expect(list.cameOut(result, testbed.emulator)).toEqual(numbers);
	});

	it('are charged once each, and again only where a lost answer cannot be known', () => {
		const { door, emulator } = testbed;
		const again = list.chargedAgain(door);
		const charges = list.charged(emulator);
		expect(tally(charges)).toEqual(
			new Map(numbers.map((phone) => [phone, 1 + (again.get(phone) ?? 0)])),
		);
		expect(1_000_000 - emulator.ledger.balance).toBeCloseTo(charges.length * list.price, 6);
	});

	it(`are never more than ${list.most} at once`, () => {
		expect(testbed.door.peak).toBeLessThanOrEqual(list.most);
	});

	it('have met every kind of fault', () => {
		const { arrivals } = testbed.door;
		const met = tally(arrivals.map(({ happened }) => happened));
		expect([...met.keys()]).toEqual(expect.arrayContaining([...list.mishaps, 'storm']));
		const wrong = arrivals.length - (met.get(undefined) ?? 0);
		expect(wrong / arrivals.length).toBeGreaterThan(SHARE * 0.85);
	});
});

it('the number in flight is as configured, even when answers drip in until they time out', async () => {
	const testbed = await openTestbed(
		(_asked, attempt) => (attempt === 0 ? 'drippingBody' : undefined),
		{ latencyMs: 100 },
	);
	const parameters = startCalls({ maxRetries: 8, timeout: 1, concurrency: 8 });
	const { success } = await runList(testbed, { parameters, items: phones(24) });
	await testbed.close();

	expect(success).toHaveLength(24);
	expect(testbed.door.peak).toBe(8);
});
