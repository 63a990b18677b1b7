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

	it('leaves Retry-After out unless told to send it', async () => {
		const client = await start({ clock: new ManualClock(), requestsPerSecondLimit: 0 });
		const refused = await client.get('getBalance');
		expect(refused.status).toBe(429);
		expect(refused.headers).not.toHaveProperty('retry-after');
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

	it('slows down for each request in flight above a threshold', async () => {
		const clock = new ManualClock();
		const client = await start({ clock, latencyMs: 10, slowdownAbove: 1, slowdownMs: 90 });
		const first = client.get('getBalance');
		await clock.whenAsleep(1);
		const second = client.get('getAccount');
		await clock.whenAsleep(2);
		clock.advance(10);
		await first;
		expect(client.emulator.ledger.requests[1]?.outcome).toEqual({ result: 'pending' });
		clock.advance(90);
		expect((await second).status).toBe(200);
	});

	it('closes at once, even with requests still being answered', async () => {
		const clock = new ManualClock();
		const client = await start({ clock, latencyMs: 10 });
		const pending = client.get('getBalance');
		const failed = expect(pending).rejects.toThrow();
		await clock.whenAsleep(1);
		await client.emulator.close();
		await failed;
		expect(client.emulator.ledger.requests[0]?.outcome).toEqual({ result: 'closed' });
	});

	it('lets its clock be set', async () => {
		const client = await start();
		client.emulator.setNow(Date.UTC(2030, 0, 1));
		await client.get('getBalance');
		const at = client.emulator.ledger.requests[0]?.at ?? 0;
		expect(new Date(at).getUTCFullYear()).toBe(2030);
	});
});
