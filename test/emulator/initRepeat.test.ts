import { contractClients, type ContractClient } from './contractClient';
import { ManualClock } from './manualClock';

const start = contractClients();

async function firstCall(client: ContractClient): Promise<unknown> {
	const args = { phone: 79161234567, code: '4321', client: 'c' };
	return (await client.post('initCall', args)).json.vendor_id;
}

describe('initRepeat', () => {
	it('repeats a call twice for free, with the same phone and code', async () => {
		const client = await start();
		const uid = await firstCall(client);
		const balance = client.emulator.ledger.balance;
		const repeat = await client.post('initRepeat', { uid });
		expect(repeat.json).toEqual({
			status: true,
			vendor_id: expect.any(Number),
			phone: '7916*****67',
			code: '4321',
			client: 'c',
			free_repeated: true,
		});
		expect(repeat.json.vendor_id).not.toBe(uid);
		expect((await client.get('initRepeat', { uid: String(uid) })).json.status).toBe(true);
		expect(client.emulator.ledger.balance).toBe(balance);
	});

	it('refuses the third repeat (§8.initRepeat)', async () => {
		const client = await start();
		const uid = await firstCall(client);
		await client.post('initRepeat', { uid });
		await client.post('initRepeat', { uid });
		const third = await client.post('initRepeat', { uid });
		expect(third.json).toMatchObject({ status: false, error: 'Both free repeats are used' });
		expect(client.emulator.ledger.calls).toHaveLength(3);
	});

	it('refuses a repeat later than five minutes after initCall', async () => {
		const clock = new ManualClock();
		const client = await start({ clock });
		const uid = await firstCall(client);
		clock.advance(5 * 60_000);
		expect((await client.post('initRepeat', { uid })).json.status).toBe(true);
		clock.advance(1);
		expect((await client.post('initRepeat', { uid })).json.status).toBe(false);
	});
});
