import type { IDataObject } from 'n8n-workflow';
import type { Ledger } from '../../emulator/ledger';
import { ALWAYS_FAILS, ALWAYS_SUCCEEDS } from '../../emulator/testNumbers';
import { connect, itemsOf, type N8nClient } from '../../harness';
import { instances } from './instances';
import { operations } from '../../scripts/generate/outputSources';
import { exampleParameters } from '../../harness/workflows/exampleParameters';
import { NODE, type OperationParameters, runNode } from '../../harness/workflows/nodeRunner';
import {
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';

/** Waiting suspends the execution, so it has its own suite. */
const running = operations.filter(({ name }) => name !== 'inboundCall.wait');

describe.each(instances)('each operation in a workflow of n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let service: EmulatedService;
	let ledger: Ledger;

	beforeAll(async () => {
		client = await connect({ line, url });
		// All fields and all methods, whichever service is played.
		service = await startEmulatedService(client, { leftOutIfEmpty: [], withdrawnMethods: [] });
		ledger = service.emulator.ledger;
	});

	afterAll(async () => {
		await service.emulator.close();
	});

	describe('phoneNumber.check', () => {
		const check = { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' };
		const phones = ['+7 (900) 000-00-01', '12345', '+44 7700 900123'];

		test('returns a result for each number of a list, in the order of the list', async () => {
			const items = await run(
				check,
				phones.map((phone) => ({ phone })),
			);

			const results = items.map(({ source, valid, cost }) => ({ source, valid, cost }));
			expect(results.map(({ source }) => source)).toEqual(phones);
			const byText = (a: { source: unknown }, b: { source: unknown }) =>
				String(a.source).localeCompare(String(b.source));
			expect(results.sort(byText)).toEqual(
				ledger.checks.map(({ source, valid, cost }) => ({ source, valid, cost })).sort(byText),
			);
			expect(items[1]).toMatchObject({ valid: false, reason: 'The phone is too short' });
			expect(items[2]).toMatchObject({ valid: true, reason: 'ok', phone_e164: '+447700900123' });
		});

		test('keeps every cell of a list, of failed rows too, on both outputs', async () => {
			const rows = [
				{ phone: '+7 (900) 000-00-01', valid: 'yes', cost: '', error: 'bounced', message: 'a' },
				{ phone: { not: 'text' }, valid: '', cost: '5', error: '', message: 'b' },
			];
			const parameters = { ...check, options: { includeInputFields: true } };
			const execute = async (onError: 'continueRegularOutput' | 'continueErrorOutput') =>
				await runNode(client, service.credential, parameters, { items: rows, onError });

			const together = itemsOf(await execute('continueRegularOutput'), NODE);
			expect(together).toMatchObject(
				rows.map(({ error, ...row }) => ({ ...row, input_error: error })),
			);
			expect(together[0]).toMatchObject({ result_valid: true, phone_e164: '+79000000001' });
			expect(together[1]).toMatchObject({
				error: 'Not a phone number',
				result_message: expect.stringContaining('country code'),
			});

			const split = await execute('continueErrorOutput');
			expect(itemsOf(split, NODE)).toEqual([{ ...together[0], result_cost: 0.05 }]);
			expect(itemsOf(split, NODE, 1)).toEqual([
				{
					...rows[1],
					error: expect.stringMatching(/^Not a phone number. .*country code/),
				},
			]);
		});
	});

	describe('call.start', () => {
		const start = { resource: 'call', operation: 'start', phone: '+7 (900) 000-00-01' };

		test('makes one call, and returns its ID, code and idempotency key', async () => {
			const before = ledger.calls.length;
			const [item] = await run({ ...start, options: { client: 'customer-42' } });

			expect(ledger.calls).toHaveLength(before + 1);
			const call = ledger.calls.at(-1);
			expect(call).toMatchObject({ phone: ALWAYS_SUCCEEDS, variant: 'call' });
			expect(item).toMatchObject({
				vendor_id: call?.vendorId,
				code: call?.code,
				phone: call?.maskedPhone,
				client: 'customer-42',
				unique_request_id: call?.unique,
				exists: false,
			});
		});

		test.each([
			[ALWAYS_SUCCEEDS, 'completed'],
			[ALWAYS_FAILS, 'failed'],
		])('waits for the result of a call to %s: %s', async (phone, call_state) => {
			const [item] = await run({ ...start, phone, waitForResult: true });

			expect(item).toMatchObject({ vendor_id: ledger.calls.at(-1)?.vendorId, call_state });
		});
	});

	describe('with a call that was made', () => {
		let uid: number;

		beforeAll(async () => {
			const code = { code: '0007' };
			await run({ resource: 'call', operation: 'start', phone: ALWAYS_SUCCEEDS, options: code });
			uid = ledger.calls.at(-1)?.vendorId ?? 0;
		});

		test.each(running)('$name returns the fields it declares', async ({ name, operation }) => {
			const [item] = await run(exampleParameters(name, uid));

			expect(Object.keys(item ?? {})).toEqual(Object.keys(operation.output));
		});

		test.each([
			['0007', true],
			['7000', false],
		])('call.checkCode says whether %s is its code, without showing it', async (code, matched) => {
			const [item] = await run({ resource: 'call', operation: 'checkCode', uid, code });

			expect(item).toMatchObject({ vendor_id: uid, matched });
			expect(item).not.toHaveProperty('code');
		});
	});

	test('an operation that fails says so in the service’s words, with advice', async () => {
		const get = { resource: 'call', operation: 'get', uid: 123 };
		const { status, error } = await runNode(client, service.credential, get);

		expect(status).toBe('error');
		expect(error).toMatchObject({
			node: NODE,
			message: expect.stringContaining('uid 123 is no call'),
			description: expect.stringContaining('Check'),
		});
	});

	async function run(
		parameters: OperationParameters,
		items?: readonly IDataObject[],
	): Promise<IDataObject[]> {
		const execution = await runNode(client, service.credential, parameters, { items });
		expect(execution.error).toBeUndefined();
		return itemsOf(execution, NODE);
	}
});
