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
/** In the “continue” modes n8n looks at the first item only. */
const FAILING: ReadonlyArray<[mode: OnError, index: number]> = [
	['stopWorkflow', 0],
	['stopWorkflow', COUNT / 2],
	['stopWorkflow', COUNT - 1],
	['continueRegularOutput', 0],
	['continueErrorOutput', 0],
];

let testbed: Testbed;

afterEach(async () => await testbed.close());

describe.each(FAILING)('with %s, when item %i always fails', (mode, index) => {
	it.each<[what: string, mishap: Mishap, parameters: typeof startCalls]>([
		['call', 'httpError', startCalls],
		['check', 'httpError', checkPhones],
		['call', 'answerLost', startCalls],
	])('no %s is charged twice (%s)', async (_what, mishap, parameters) => {
		const poison = items[index]?.phone ?? '';
		testbed = await openTestbed((asked) => (asked.endsWith(poison) ? mishap : undefined));
		const { success, failed, error } = await runList(testbed, {
			parameters: parameters({ maxRetries: 0, timeout: 30 }),
			items,
			onError: mode,
			retryOnFail: true,
		});

		const { arrivals } = testbed.door;
		expect(arrivals.filter(({ asked }) => asked === poison)).toHaveLength(TRIES);
		const { calls, checks } = testbed.emulator.ledger;
		const charges = tally([...calls.map((call) => call.phone), ...checks.map((c) => c.source)]);
		const isCharged = mishap === 'answerLost';
		expect(new Set(charges.values())).toEqual(new Set([1]));
		expect(charges.has(poison)).toBe(isCharged);
		if (mode === 'stopWorkflow') {
			expect(error?.message).toMatch(isCharged ? /^The connection .* lost$/ : /^The verification /);
			return;
		}
		expect(charges.size).toBe(isCharged ? COUNT : COUNT - 1);
		expect(error).toBeUndefined();
		const all = places(items.keys());
		const isSplit = mode === 'continueErrorOutput';
		expect(placesOf(success)).toEqual(isSplit ? all.slice(1) : all);
		expect(success.filter(({ json }) => 'error' in json)).toHaveLength(isSplit ? 0 : 1);
		expect(placesOf(failed)).toEqual(isSplit ? all.slice(0, 1) : []);
	});
});
