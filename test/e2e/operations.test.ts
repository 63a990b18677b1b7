import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ALWAYS_SUCCEEDS } from '../../emulator/service/numbers';
import { itemsOf, waitUntil } from '../../harness';
import { describeInN8n } from './inN8n';
import { operations } from '../../scripts/generate/rows';
import {
	actionNode,
	exampleParameters,
	NODE,
	type OperationParameters,
	runNode,
	workflowWith,
} from '../../harness/workflows/nodeRunner';
import { chain, manualTrigger, set } from '../../harness/rest/workflowFile';

/** Waiting suspends the execution, so it has its own suite. */
const running = operations.filter(({ name }) => name !== 'inboundCall.wait');
const PHONES = ['+79160000011', '+79160000012', '+79160000013'];
const check = { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' };

// All fields and all methods, whichever service is played.
describeInN8n(
	'each operation in a workflow',
	{ leftOutIfEmpty: [], withdrawnMethods: [] },
	(n8n) => {
		const execute = async (
			parameters: OperationParameters,
			options?: Parameters<typeof runNode>[3],
		) => await runNode(n8n.client, n8n.credential, parameters, options);

		describe('with a call that was made', () => {
			let uid: number;

			beforeAll(async () => {
				await execute({ resource: 'call', operation: 'start', phone: ALWAYS_SUCCEEDS });
				uid = n8n.emulator.ledger.calls.at(-1)?.vendorId ?? 0;
			});

			test.each(running)('$name returns the fields it declares', async ({ name, operation }) => {
				const execution = await execute(exampleParameters(name, uid));
				expect(execution.error).toBeUndefined();
				const [item] = itemsOf(execution, NODE);
				expect(Object.keys(item ?? {})).toEqual(Object.keys(operation.output));
			});
		});

		test('phoneNumber.check keeps every cell of a list, of failed rows too, on both outputs', async () => {
			const items = [
				{ phone: '+7 (900) 000-00-01', valid: 'yes', cost: '', error: 'bounced', message: 'a' },
				{ phone: { not: 'text' }, valid: '', cost: '5', error: '', message: 'b' },
			];
			const parameters = { ...check, options: { includeInputFields: true } };

			const together = itemsOf(
				await execute(parameters, { items, onError: 'continueRegularOutput' }),
				NODE,
			);
			expect(together).toMatchObject(
				items.map(({ error, ...row }) => ({ ...row, input_error: error })),
			);
			expect(together[0]).toMatchObject({ result_valid: true, phone_e164: '+79000000001' });
			expect(together[1]).toMatchObject({
				error: 'Not a phone number',
				result_message: expect.stringContaining('country code'),
			});

			const split = await execute(parameters, { items, onError: 'continueErrorOutput' });
			expect(itemsOf(split, NODE)).toEqual([{ ...together[0], result_cost: 0.05 }]);
			expect(itemsOf(split, NODE, 1)).toEqual([
				{ ...items[1], error: expect.stringMatching(/^Not a phone number. .*country code/) },
			]);
		});

		test('phoneNumber.checkFile checks every phone column, and the next list costs nothing for known numbers', async () => {
			const lists = {
				data: `Clients of May;;\n\nName;Phone;Phone\nAnn;${PHONES[0]};${PHONES[1]}\nBob;${PHONES[1]};\n`,
				next: `Mobile\n${PHONES[1]?.replace('+', '')}\n${PHONES[2]}\n`,
			};
			const files = Object.entries(lists).map(([field, text]) => {
				const data = Buffer.from(text).toString('base64');
				return [field, { data, mimeType: 'text/csv', fileName: `${field}.csv` }];
			});
			const item = JSON.stringify({ json: {}, binary: Object.fromEntries(files) });
			const code = {
				...set('Files', ''),
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: { jsCode: `return [${item}];` },
			};
			const checkOf = (name: string, binaryPropertyName: string, options: INodeParameters) => ({
				...actionNode(n8n.credential, {
					resource: 'phoneNumber',
					operation: 'checkFile',
					binaryPropertyName,
					phoneColumn: '',
					options,
				}),
				id: name,
				name,
			});
			const before = n8n.emulator.ledger.checks.length;
			const { id } = await n8n.client.workflows.create(
				chain(
					'Known numbers',
					manualTrigger,
					code,
					checkOf('First', 'data', { knownNumbers: 'known' }),
					checkOf('Second', 'next', { earlierResults: 'known' }),
				),
			);
			const execution = await n8n.client.run(id);

			expect(execution.error).toBeUndefined();
			expect(itemsOf(execution, 'First')).toMatchObject([
				{ rows: 2, cells: 4, valid_rows: 2, valid: 3, unreadable: 1, duplicates: 1 },
			]);
			expect(itemsOf(execution, 'First')[0]?.phone_column).toBe('Phone (1), Phone (2)');
			expect(itemsOf(execution, 'Second')).toMatchObject([{ rows: 2, valid: 2, reused: 1 }]);
			const paid = n8n.emulator.ledger.checks.slice(before).map(({ source }) => source);
			expect(paid.sort()).toEqual(PHONES);
		});

		test('an operation that fails says so in the service’s words, with advice', async () => {
			const { status, error } = await execute({ resource: 'call', operation: 'get', uid: 123 });

			expect(status).toBe('error');
			expect(error).toMatchObject({
				node: NODE,
				message: expect.stringContaining('uid 123 is no call'),
				description: expect.stringContaining('Check'),
			});
		});

		test('n8n’s Retry of a failed execution pays only for the rest of a list', async () => {
			const { client, credential, emulator } = n8n;
			const { checks } = emulator.ledger;
			const before = checks.length;
			const paidFor = () => checks.slice(before).map(({ source }) => source);
			const phones = Array.from({ length: 301 }, (_none, index) => String(79160000000 + index));
			const items: IDataObject[] = phones.map((phone) => ({ phone }));
			emulator.faults.add({ kind: 'delay', ms: 60 });
			const parameters = { ...check, requestOptions: { concurrency: 8 } };
			const { id } = await client.workflows.create(workflowWith(credential, parameters, { items }));
			const executionId = await client.workflows.run(id);
			await waitUntil(async () => paidFor().length >= 200 || undefined, {
				what: '200 numbers are paid for',
				longestPause: 20,
			});
			emulator.faults.add({ kind: 'errorCode', code: 402 });
			const failed = await client.executions.wait(executionId);
			expect(failed.status).toBe('error');
			expect(failed.error?.description).toContain('does not pay for them again');
			expect(paidFor().length).toBeLessThan(phones.length);

			emulator.faults.clear();
			const retried = await client.executions.wait(await client.executions.retry(failed.id));

			expect(itemsOf(retried, NODE).map(({ source }) => source)).toEqual(phones);
			expect(paidFor().sort()).toEqual(phones);
		});
	},
);
