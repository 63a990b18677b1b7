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
});
