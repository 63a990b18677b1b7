import type { OnError } from 'n8n-workflow';

import type { Mishap } from './mishap';
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

/** For one failed item, “Retry On Fail” runs the node three times with all its items. */

const COUNT = 24;
const TRIES = 3;
const items = phones(COUNT);
const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
const POSITIONS = { first: 0, middle: COUNT / 2, last: COUNT - 1 };

let testbed: Testbed;

afterEach(async () => await testbed.close());

async function runWithPoison(
	parameters: typeof startCalls,
	poisoned: number,
	onError: OnError,
	mishap: Mishap,
) {
	const poison = items[poisoned]?.phone ?? '';
	testbed = await openTestbed((asked) => (asked.endsWith(poison) ? mishap : undefined));
	const { door } = testbed;
	const result = await runList(testbed, {
		parameters: parameters({ maxRetries: 0, timeout: 30 }),
		items,
		onError,
		retryOnFail: true,
	});
	return {
		result,
		poison,
		poisonArrivals: door.arrivals.filter(({ asked }) => asked === poison).length,
	};
}

const cases = MODES.flatMap((mode) =>
	Object.entries(POSITIONS).map(([position, index]) => ({ mode, position, index })),
);

describe.each(cases)('with $mode, when the $position item always fails', ({ mode, index }) => {
	/** In the “continue” modes n8n looks at the first item only. */
	const tries = mode === 'stopWorkflow' || index === 0 ? TRIES : 1;
	const healthy = [...items.keys()].filter((item) => item !== index);

	it.each([
		['call', startCalls],
		['check', checkPhones],
	])('no %s is charged twice', async (_name, parameters) => {
		const { result, poison, poisonArrivals } = await runWithPoison(
			parameters,
			index,
			mode,
			'httpError',
		);

		const { calls, checks } = testbed.emulator.ledger;
		const charges = tally([...calls.map((call) => call.phone), ...checks.map((c) => c.source)]);
		expect(new Set(charges.values())).toEqual(new Set([1]));
		expect(charges.has(poison)).toBe(false);
		expect(poisonArrivals).toBe(tries);
		if (mode === 'stopWorkflow') {
			expect(result.error?.message).toMatch(/^The verification service /);
			return;
		}
		expect(charges.size).toBe(COUNT - 1);
		expect(result.error).toBeUndefined();
		if (mode === 'continueErrorOutput') {
			expect(placesOf(result.success)).toEqual(places(healthy));
			expect(placesOf(result.failed)).toEqual(places([index]));
		} else {
			expect(placesOf(result.success)).toEqual(places(items.keys()));
			expect(result.success.map(({ json }) => 'error' in json)).toEqual(
				[...items.keys()].map((item) => item === index),
			);
		}
	});

	it('a call whose answer never arrives is still charged only once', async () => {
		const { poison, poisonArrivals } = await runWithPoison(startCalls, index, mode, 'answerLost');

		const charges = tally(testbed.emulator.ledger.calls.map(({ phone }) => phone));
		expect(new Set(charges.values())).toEqual(new Set([1]));
		expect(charges.has(poison)).toBe(true);
		expect(poisonArrivals).toBe(tries);
	});
});
