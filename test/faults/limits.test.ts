import { report, requestFigures } from './report';
import { openTestbed, phones, runList, startCalls, type Testbed } from './testbed';

let testbed: Testbed;

afterEach(async () => await testbed.close());

describe('the number of requests in flight', () => {
	it('is never more than 64', async () => {
		testbed = await openTestbed(undefined, { latencyMs: 300 });
		const { door } = testbed;
		const parameters = startCalls({ maxRetries: 8, timeout: 2 });
		const { success } = await runList(testbed, { parameters, items: phones(600) });

		report('Slow service', requestFigures(door));
		expect(success).toHaveLength(600);
		expect(door.peak).toBeLessThanOrEqual(64);
		expect(door.peak).toBeGreaterThan(32);
	});

	it('is as configured, even when answers drip in until they time out', async () => {
		testbed = await openTestbed((_asked, attempt) => (attempt === 0 ? 'drippingBody' : undefined), {
			latencyMs: 100,
		});
		const { door } = testbed;
		const parameters = startCalls({ maxRetries: 8, timeout: 1, concurrency: 8 });
		const { success } = await runList(testbed, { parameters, items: phones(24) });

		expect(success).toHaveLength(24);
		expect(door.peak).toBe(8);
	});
});
