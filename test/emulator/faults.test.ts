import { contractClients, type Answer, type ContractClient } from './contractClient';
import type { FaultRule } from '../../emulator/fault';
import { ManualClock } from './manualClock';

const start = contractClients();
const UNIQUE = '3f0c1d52-6a0b-4c8e-9d57-0b1c2d3e4f50';

async function struck(fault: FaultRule): Promise<{ client: ContractClient; answer: Answer }> {
	const client = await start({ faults: [fault], clock: new ManualClock(1_700_000_000_000) });
	return { client, answer: await client.post('initCall', { phone: 79161234567 }) };
}

describe('faults', () => {
	it('answers with an error code', async () => {
		const { client, answer } = await struck({ kind: 'errorCode', code: 503, message: 'Later' });
		expect(answer.status).toBe(503);
		expect(answer.json).toEqual({ status: false, error: 'Later', code: 503 });
		expect(client.emulator.ledger.calls).toHaveLength(0);
	});

	it('sends an error code that is no HTTP status with HTTP status 200', async () => {
		const { answer } = await struck({ kind: 'errorCode', code: 7 });
		expect(answer).toMatchObject({ status: 200, json: { status: false, code: 7 } });
	});

	it('answers with an HTTP status', async () => {
		const { answer } = await struck({ kind: 'httpStatus', status: 500 });
		expect(answer.status).toBe(500);
	});

	it('resets the connection before the work is done', async () => {
		const client = await start({ faults: [{ kind: 'resetBeforeProcessing' }] });
		await expect(client.post('initCall', { phone: 79161234567 })).rejects.toThrow();
		expect(client.emulator.ledger.calls).toHaveLength(0);
		expect(client.emulator.ledger.requests[0]?.outcome).toMatchObject({ processed: false });
	});

	it('resets the connection after the call was made and charged', async () => {
		const client = await start({ startingBalance: 10 });
		client.emulator.faults.add({ kind: 'resetAfterProcessing', times: 1 });
		const args = { phone: 79161234567, unique: UNIQUE };
		await expect(client.post('initCall', args)).rejects.toThrow();
		expect(client.emulator.ledger.requests[0]?.outcome).toMatchObject({ processed: true });
		expect(client.emulator.ledger.balance).toBe(9.6);
		expect((await client.post('initCall', args)).json).toMatchObject({ exists: true });
		expect(client.emulator.ledger.calls).toHaveLength(1);
	});

	it('does not report a refused request as processed', async () => {
		const client = await start({ faults: [{ kind: 'resetAfterProcessing' }] });
		await expect(client.post('initCall', {})).rejects.toThrow();
		expect(client.emulator.ledger.requests[0]?.outcome).toMatchObject({ processed: false });
	});

	it('sends half of the JSON of a call that was made', async () => {
		const { client, answer } = await struck({ kind: 'halfJson' });
		expect(answer.text).toMatch(/^\{"status":true/);
		expect(() => JSON.parse(answer.text)).toThrow(SyntaxError);
		expect(client.emulator.ledger.calls).toHaveLength(1);
	});

	it.each([
		[false, 0],
		[true, 1],
	])('sends HTML; with the work done: %s', async (processed, calls) => {
		const { client, answer } = await struck({ kind: 'html', processed });
		expect(answer).toMatchObject({ status: 502, text: expect.stringContaining('<html>') });
		expect(answer.headers['content-type']).toContain('text/html');
		expect(client.emulator.ledger.calls).toHaveLength(calls);
	});

	it('sends an empty body', async () => {
		const { answer } = await struck({ kind: 'empty' });
		expect(answer).toMatchObject({ status: 200, text: '' });
		expect(answer.headers).not.toHaveProperty('content-type');
	});

	it.each([
		['nothing', {}, undefined],
		['seconds', { retryAfterSeconds: 7 }, '7'],
		['a date', { retryAfterSeconds: 7, retryAfterAs: 'date' }, 'Tue, 14 Nov 2023 22:13:27 GMT'],
	] as const)('answers 429 with %s in Retry-After', async (_, form, header) => {
		const { answer } = await struck({ kind: 'tooManyRequests', ...form });
		expect(answer.status).toBe(429);
		expect(answer.headers['retry-after']).toBe(header);
	});

	it('delays the answer, on top of the latency', async () => {
		const clock = new ManualClock();
		const client = await start({ clock, latencyMs: 50, faults: [{ kind: 'delay', ms: 100 }] });
		const pending = client.post('getBalance');
		await clock.whenAsleep(1);
		clock.advance(149);
		expect(client.emulator.ledger.requests[0]?.outcome).toEqual({ result: 'pending' });
		clock.advance(1);
		expect((await pending).json.status).toBe(true);
	});

	it('strikes only the method it names, and only as often as set', async () => {
		const client = await start();
		client.emulator.faults.add({ kind: 'errorCode', code: 500, method: 'getBalance', times: 2 });
		expect((await client.post('getAccount')).status).toBe(200);
		const statuses: number[] = [];
		for (let turn = 0; turn < 3; turn++) statuses.push((await client.post('getBalance')).status);
		expect(statuses).toEqual([500, 500, 200]);
		expect(client.emulator.faults.list()).toEqual([]);
	});

	it('strikes at random, but in the same way for the same seed', async () => {
		const runs: number[][] = [];
		for (const seed of [3, 3, 4]) {
			const faults: FaultRule[] = [{ kind: 'httpStatus', status: 500, probability: 0.5 }];
			const client = await start({ seed, faults });
			const statuses: number[] = [];
			for (let turn = 0; turn < 20; turn++) statuses.push((await client.get('getBalance')).status);
			runs.push(statuses);
		}
		expect(new Set(runs[0])).toEqual(new Set([200, 500]));
		expect(runs[1]).toEqual(runs[0]);
		expect(runs[2]).not.toEqual(runs[0]);
	});

	it('ends when removed', async () => {
		const client = await start();
		const id = client.emulator.faults.add({ kind: 'httpStatus', status: 500 });
		expect((await client.get('getBalance')).status).toBe(500);
		client.emulator.faults.remove(id);
		expect((await client.get('getBalance')).status).toBe(200);
	});
});
