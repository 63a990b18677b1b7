import { contractClients } from './contractClient';
import { ManualClock } from './manualClock';

const start = contractClients();

describe('account, service and balance', () => {
	it('returns the account without a status field and with its last 50 actions (§8.getAccount.logs)', async () => {
		const client = await start();
		const { json } = await client.post('getAccount');
		expect(json).not.toHaveProperty('status');
		expect(json).toMatchObject({ id: expect.any(Number), two_auth: true });
		expect(json.logs).toHaveLength(50);
	});

	it.each([
		['string', '192.0.2.10'],
		['number', 3221225994],
	] as const)('shows the login address as a %s', async (ipShape, ip) => {
		const client = await start({ ipShape });
		const { json } = await client.get('getAccount');
		expect(json.logs).toEqual(expect.arrayContaining([expect.objectContaining({ ip })]));
	});

	it('returns the service with the time of its last request', async () => {
		const clock = new ManualClock(1_700_000_000_000);
		const client = await start({ clock, serviceId: '77' });
		clock.advance(5000);
		await client.get('getBalance');
		clock.advance(5000);
		expect((await client.get('getService')).json).toMatchObject({
			status: true,
			service_status: 77,
			creation_time: 1_700_000_000,
			last_request: 1_700_000_005,
		});
	});

	it('refuses getService by POST', async () => {
		const client = await start();
		expect(await client.post('getService')).toMatchObject({
			status: 405,
			json: { status: false, code: 405, error: expect.stringContaining('only GET') },
		});
	});

	it('returns the balance after the charges so far, and the tariff', async () => {
		const client = await start({ startingBalance: 10 });
		await client.post('initCall', { phone: 79161234567 });
		for (const answer of [await client.get('getBalance'), await client.post('getBalance')]) {
			expect(answer.json).toEqual({
				status: true,
				rub_balance: 9.6,
				tariff: expect.any(String),
				tariff_name: expect.any(String),
			});
		}
	});

	it('refuses an argument where a method has none', async () => {
		const client = await start();
		const { json } = await client.get('getBalance', { currency: 'rub' });
		expect(json).toMatchObject({ code: 400, error: 'Unknown parameter: currency' });
	});
});
