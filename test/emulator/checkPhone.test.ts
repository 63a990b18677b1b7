import { contractClients } from './contractClient';

const start = contractClients();

describe('checkPhone', () => {
	it('enriches a Russian number written in free text', async () => {
		const client = await start({ startingBalance: 1 });
		const answer = await client.post('checkPhone', { phone: '+7 (916) 123-45-67' });
		expect(answer.json).toEqual({
			source: '+7 (916) 123-45-67',
			mobile: 1,
			phone: 79161234567,
			country_iso: 'RU',
			country_code: 7,
			mnc: 1,
			number: 9161234567,
			provider: 'Birch Mobile',
			company: 'Birch Mobile LLC',
			country: 'Russia',
			region: 'Moscow and Moscow Region',
			city: 'Moscow',
			phone_format: '8 (916) 123-45-67',
			cost: 0.05,
			balance: 0.95,
		});
	});

	it.each([
		['8 916 123 45 67', 79161234567, 'RU'],
		['9161234567', 79161234567, 'RU'],
		['8 (495) 123-45-67', 74951234567, 'RU'],
		['+7 701 123 45 67', 77011234567, 'KZ'],
		['+375 29 123-45-67', 375291234567, 'BY'],
		['380501234567', 380501234567, 'UA'],
		['0049 151 12345678', 4915112345678, 'DE'],
		['+1 212-555-0123', 12125550123, 'US'],
		['+44 7911 123456', 447911123456, 'GB'],
	])('reads %s as %d of %s', async (source, phone, iso) => {
		const client = await start();
		const { json } = await client.get('checkPhone', { phone: source });
		expect(json).toMatchObject({ source, phone, country_iso: iso });
		expect(json).not.toHaveProperty('error');
	});

	it('fills organization, region and city for Russia only (§8.russia)', async () => {
		const client = await start();
		const { json } = await client.post('checkPhone', { phone: '+49 151 12345678' });
		expect(json).toMatchObject({ company: '', region: '', city: '', country: 'Germany' });
	});

	it.each(['abc', '12', '+7 123 456 78 90', '+999 12345678', '1234567890123456', ' '])(
		'reports the invalid number %j in the error field of the record',
		async (source) => {
			const client = await start();
			const answer = await client.post('checkPhone', { phone: source });
			expect(answer.status).toBe(200);
			expect(answer.json).toMatchObject({ source, error: expect.any(String), phone: 0 });
			expect(answer.json).not.toHaveProperty('status');
		},
	);

	it('charges each valid check and enters it in the ledger', async () => {
		const client = await start({ startingBalance: 1 });
		await client.post('checkPhone', { phone: '+7 916 123-45-67' });
		await client.post('checkPhone', { phone: 'nonsense' });
		expect(client.emulator.ledger.balance).toBe(0.95);
		expect(client.emulator.ledger.checks).toMatchObject([
			{ valid: true, cost: 0.05 },
			{ valid: false, cost: 0 },
		]);
	});

	it('refuses a phone that is a JSON number', async () => {
		const client = await start();
		const { json } = await client.post('checkPhone', { phone: 79161234567 });
		expect(json).toMatchObject({ code: 400, error: 'phone must be a string, not a number' });
	});
});
