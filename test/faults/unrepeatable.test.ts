import { setTimeout as delay } from 'node:timers/promises';

import {
	EVERY_MISHAP,
	isAfterTheWork,
	isThrottled,
	type Mishap,
	type MishapPlan,
	randomMishaps,
} from './mishap';
import { getNumber } from '../core/parameters';
import { Seed } from '../seed';
import type { RunContext } from '../../harness/engine/n8nCore';
import {
	openTestbed,
	phones,
	places,
	placesOf,
	runList,
	startCalls,
	tally,
	type Testbed,
} from './testbed';

/** The service takes no idempotency key for these two, so a request that may have arrived is never resent. */

interface Case {
	/** What the items ask for, in order. */
	asked: string[];
	list: Pick<RunContext, 'items' | 'parameters'>;
	/** How often the service has done each. */
	done: () => Map<string, number>;
}

/** What is only late must not be taken for lost: the machine may stand still for seconds. */
const requestOptions = { maxRetries: 8, timeout: 20 };

async function inboundCalls({ emulator }: Testbed, count: number): Promise<Case> {
	const items = phones(count);
	return {
		asked: items.map(({ phone }) => phone),
		list: {
			parameters: getNumber({ phone: '={{ $json.phone }}', requestOptions }),
			items,
		},
		done: () => tally(emulator.ledger.inboundWaits.map(({ phone }) => phone)),
	};
}

async function repeats(bed: Testbed, count: number): Promise<Case> {
	const { emulator } = bed;
	await runList(bed, { parameters: startCalls({}), items: phones(count) }, emulator.url);
	const uids = emulator.ledger.calls.map(({ vendorId }) => vendorId);
	return {
		asked: uids.map(String),
		list: {
			parameters: {
				resource: 'call',
				operation: 'repeat',
				uid: '={{ $json.uid }}',
				requestOptions,
			},
			items: uids.map((uid) => ({ uid })),
		},
		done: () => {
			const repeated = emulator.ledger.calls.flatMap(({ firstVendorId }) => firstVendorId ?? []);
			return tally(repeated.map(String));
		},
	};
}

let testbed: Testbed;

afterEach(async () => await testbed.close());

describe.each([
	['a wait for an inbound call', 'inboundCallWaiting', inboundCalls],
	['a repeat of a call', 'initRepeat', repeats],
])('%s', (_name, method, prepare) => {
	const start = async (count: number, plan?: MishapPlan) => {
		testbed = await openTestbed(plan);
		return await prepare(testbed, count);
	};
	const run = async ({ list }: Case) =>
		await runList(testbed, { ...list, onError: 'continueRegularOutput' });
	const onceEach = (asked: string[]) => new Map(asked.map((key) => [key, 1]));
	const arrivalsOf = ({ arrivals }: Testbed['door']) =>
		tally(arrivals.filter((arrival) => arrival.method === method).map(({ asked }) => asked));

	it('is resent only after “too many requests”, and done at most once', async () => {
		const fates = new Map<string, Mishap>();
		const work = await start(EVERY_MISHAP.length, (asked, attempt) => {
			const fate = fates.get(asked);
			return fate !== undefined && isThrottled(fate) && attempt > 0 ? undefined : fate;
		});
		work.asked.forEach((asked, index) => {
			const mishap = EVERY_MISHAP[index];
			if (mishap !== undefined) fates.set(`${method} ${asked}`, mishap);
		});

		const { success } = await run(work);

		const askedIf = (applies: (mishap: Mishap) => boolean) =>
			EVERY_MISHAP.flatMap((mishap, index) => (applies(mishap) ? (work.asked[index] ?? []) : []));
		const throttled = askedIf(isThrottled);
		expect(arrivalsOf(testbed.door)).toEqual(
			new Map(work.asked.map((key) => [key, throttled.includes(key) ? 2 : 1])),
		);
		const worked = askedIf((mishap) => isAfterTheWork(mishap) || isThrottled(mishap));
		expect(work.done()).toEqual(onceEach(worked));
		expect(placesOf(success)).toEqual(places(EVERY_MISHAP.keys()));
		expect(success.map(({ json }) => json.error === undefined)).toEqual(
			EVERY_MISHAP.map(isThrottled),
		);
	});

	it('is sent at most once in a long list, even when the service dies in the middle', async () => {
		const COUNT = 300;
		const work = await start(COUNT, randomMishaps(new Seed('FAULT_SEED').value, 0.2));
		const { door } = testbed;
		door.after(COUNT / 3, () => void door.die(3_000));

		const { success } = await run(work);

		expect([...arrivalsOf(door).values()].filter((count) => count > 1)).toEqual([]);
		expect([...work.done().values()].filter((count) => count > 1)).toEqual([]);
		const delivered = new Set(
			door.arrivals.flatMap((arrival) => (arrival.delivered ? arrival.asked : [])),
		);
		expect(placesOf(success)).toEqual(places(work.asked.keys()));
		expect(success.map(({ json }) => json.error === undefined)).toEqual(
			work.asked.map((asked) => delivered.has(asked)),
		);
		expect(delivered.size).toBeGreaterThan(COUNT / 2);
	});

	it('is retried as long as nothing accepts connections', async () => {
		const work = await start(20);
		testbed.door.shut();
		const result = run(work);
		await delay(1_500);
		await testbed.door.reopen();

		const { success } = await result;

		expect(success.filter(({ json }) => json.error !== undefined)).toEqual([]);
		expect(arrivalsOf(testbed.door)).toEqual(onceEach(work.asked));
		expect(work.done()).toEqual(onceEach(work.asked));
	});
});
