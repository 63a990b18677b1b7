import { contractClients, type Answer, type ContractClient } from './contractClient';
import { startWebhookReceiver } from './webhookReceiver';

const start = contractClients();

function page(client: ContractClient): Promise<Answer> {
	return client.raw({ path: '/', headers: { accept: 'text/html,*/*;q=0.8' } });
}

function control(client: ContractClient, path: string, body: unknown): Promise<Answer> {
	const headers = { 'content-type': 'application/json' };
	return client.raw({ verb: 'POST', path, headers, body: JSON.stringify(body) });
}

describe('control endpoints', () => {
	it('arm one fault or a list of them, and clear them all', async () => {
		const client = await start();
		await control(client, '/_control/faults', { kind: 'httpStatus', status: 500, times: 1 });
		expect((await client.get('getBalance')).status).toBe(500);
		await control(client, '/_control/faults', {
			faults: [{ kind: 'tooManyRequests', retryAfterSeconds: 2 }, { kind: 'halfJson' }],
		});
		expect(client.emulator.faults.list()).toHaveLength(2);
		expect((await client.get('getBalance')).headers['retry-after']).toBe('2');
		await client.raw({ verb: 'DELETE', path: '/_control/faults' });
		expect((await client.get('getBalance')).status).toBe(200);
	});
});

describe('control page', () => {
	it('lists awaited callers with a call button, the calls made and the balance', async () => {
		const client = await start({ startingBalance: 12 });
		const args = { phone: 79161234567, callback_url: 'http://receiver.test/hook' };
		const { json } = await client.post('inboundCallWaiting', args);
		await client.post('initCall', { phone: 79000000001, code: '4711' });
		const answer = await page(client);
		expect(answer.headers['content-type']).toContain('text/html');
		expect(answer.text).toContain(`{&quot;vendor_id&quot;:${String(json.vendor_id)}}`);
		expect(answer.text).toContain('Call now');
		expect(answer.text).toContain('4711');
		expect(answer.text).toContain('<strong>12</strong>');
		expect(client.emulator.ledger.requests).toHaveLength(2);
	});

	it('escapes everything that came with a request', async () => {
		const client = await start();
		await client.get('checkPhone', { phone: '<script>alert("1")</script>' });
		const { text } = await page(client);
		expect(text).not.toContain('<script>alert');
		expect(text).toContain('&lt;script&gt;alert(');
	});
});
