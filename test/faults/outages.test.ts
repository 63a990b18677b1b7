import { checkList, duration, outages } from '../core/outages';

/** Give Up After plus one request timeout, at their defaults. */
const MOST_SECONDS = 300 + 30 + 1;

describe.each(Object.entries(outages))('a list of 1,000 numbers: %s', (when, outage) => {
	it.each(['continueRegularOutput', 'stopWorkflow'] as const)('ends in time, %s', async (mode) => {
		const { seconds, sent, success, error } = await checkList(outage, mode);
		const failed = success.filter(({ json }) => json.error !== undefined).length;
		const isHealthy = failed === 0 && error === undefined;
		process.stdout.write(
			`${when} (${mode}): ${isHealthy ? 'done' : 'over'} after ${duration(seconds)} of simulated time, ${sent.length} requests, ${failed} items failed\n`,
		);
		// The node does not give up on a slow but working service.
		if (!isHealthy) expect(seconds).toBeLessThanOrEqual(MOST_SECONDS);
		expect(sent.length).toBeGreaterThan(0);
	});
});
