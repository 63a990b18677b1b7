import { contractClients } from './contractClient';
import { ManualClock } from './manualClock';

const start = contractClients();

describe('traffic', () => {
	it('answers 429 above its requests per second, whatever status errors have', async () => {
		const clock = new ManualClock();
		const client = await start({
			clock,
			requestsPerSecondLimit: 2,
			retryAfterSeconds: 1,
			errorStatus: '200',
		});
		await client.get('getBalance');
		await client.get('getBalance');
		const refused = await client.get('getBalance');
		expect(refused).toMatchObject({ status: 429, json: { status: false, code: 429 } });
		expect(refused.headers['retry-after']).toBe('1');
		clock.advance(1000);
		expect((await client.get('getBalance')).status).toBe(200);
	});

	it('answers 503 above its concurrent requests', async () => {
		const clock = new ManualClock();
		const client = await start({ clock, latencyMs: 10, maxConcurrent: 1 });
		const first = client.get('getBalance');
		await clock.whenAsleep(1);
		expect((await client.get('getBalance')).status).toBe(503);
		clock.advance(10);
		expect((await first).status).toBe(200);
		expect(client.emulator.ledger).toMatchObject({ inFlight: 0, peakInFlight: 2 });
	});
});
