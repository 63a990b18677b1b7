import { contractClients, type ContractClient } from './contractClient';
import { ManualClock } from './manualClock';

const start = contractClients();

async function call(client: ContractClient, args: Record<string, unknown>): Promise<unknown> {
	return (await client.post('initCall', args)).json.vendor_id;
}

describe('getInfo', () => {
	it('returns the whole record of a call', async () => {
		const clock = new ManualClock(Date.UTC(2024, 4, 1));
		const client = await start({ clock, startingBalance: 50, callResultAfterMs: 0 });
		const unique = '3f0c1d52-6a0b-4c8e-9d57-0b1c2d3e4f50';
		const uid = await call(client, { phone: 79161234567, code: '0007', client: 'c', unique });
		expect((await client.post('getInfo', { uid })).json).toEqual({
			status: true,
			vendor_id: uid,
			init_time: Date.UTC(2024, 4, 1) / 1000,
			call_status: 1,
			is_repeated: false,
			repeatable: true,
			repeat_times: 2,
			repeated_vendor_ids: [],
			unique,
			client: 'c',
			phone: '7916*****67',
			code: '0007',
			country_code: 'RU',
			phone_info: {
				operator: 'Birch Mobile',
				region: 'Moscow and Moscow Region',
				mnp: 'Birch Mobile',
			},
			cost: 0.4,
			balance: 50,
		});
	});

	it.each([
		[79161234567, 1],
		[79000000001, 1],
		[79000000002, 0],
	])('moves the call to %d from checking to %d', async (phone, final) => {
		const clock = new ManualClock();
		const client = await start({ clock, callResultAfterMs: 3000 });
		const uid = await call(client, { phone });
		clock.advance(2999);
		expect((await client.post('getInfo', { uid })).json.call_status).toBe(-1);
		clock.advance(1);
		expect((await client.get('getInfo', { uid: String(uid) })).json.call_status).toBe(final);
	});
});
