import { connect, itemsOf, type N8nClient } from '../../harness';
import { ALWAYS_SUCCEEDS } from '../../emulator/testNumbers';
import { instances } from './instances';
import { NODE, runNode } from '../../harness/workflows/nodeRunner';
import {
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';

const start = { resource: 'call', operation: 'start', phone: '={{ $json.phone }}' };
const get = { resource: 'call', operation: 'get', uid: 123 };
const BAD_PHONE = '+7 900 CALL-ME';
const contacts = [
	{ name: 'Ann', phone: ALWAYS_SUCCEEDS },
	{ name: 'Bo', phone: BAD_PHONE },
	{ name: 'Cy', phone: ALWAYS_SUCCEEDS },
];

describe.each(instances)('failing in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let service: EmulatedService;

	beforeAll(async () => {
		client = await connect({ line, url });
		service = await startEmulatedService(client);
	});

	afterAll(async () => {
		await service.emulator.close();
	});

	describe('with On Error: Stop', () => {
		test('a value that cannot be right is named before anything is sent', async () => {
			const requests = service.emulator.ledger.requests.length;
			const items = [{ phone: BAD_PHONE }];

			const { status, error } = await runNode(client, service.credential, start, { items });

			expect(status).toBe('error');
			expect(error).toMatchObject({ node: NODE, message: expect.stringMatching(/phone number/i) });
			expect(error?.description).toEqual(expect.stringMatching(/\w+ \w+/));
			expect(service.emulator.ledger.requests).toHaveLength(requests);
		});

		test('the service’s words are the message, and the advice is the description', async () => {
			const { status, error } = await runNode(client, service.credential, get);

			expect(status).toBe('error');
			expect(error).toMatchObject({
				node: NODE,
				message: expect.stringContaining('uid 123 is no call'),
				description: expect.stringContaining('Check'),
			});
		});

		test.each(['matching', '200'] as const)(
			'a refused key names the fields to check (HTTP status: %s)',
			async (errorStatus) => {
				const strict = await startEmulatedService(
					client,
					{ errorStatus },
					{ secretKey: 'wrong-key' },
				);

				const { error } = await runNode(client, strict.credential, get);
				await strict.emulator.close();

				expect(error?.message).toContain('Authentication failed');
				expect(error?.description).toMatch(/Secret Key.*Service ID.*Authentication Scheme/);
				expect(JSON.stringify(error)).not.toContain('wrong-key');
			},
		);

		test('an https:// address that speaks plain HTTP is explained in plain words', async () => {
			const baseUrl = service.emulator.url.replace('http:', 'https:');
			const plain = await startEmulatedService(client, {}, { baseUrl });

			const { error } = await runNode(client, plain.credential, {
				...get,
				requestOptions: { maxRetries: 0 },
			});
			await plain.emulator.close();

			expect(error?.message).toMatch(/uses plain HTTP.*https:\/\//);
			expect(error?.description).toMatch(/The key was not sent/);
		});

		test('an address where nothing listens is explained in plain words', async () => {
			const gone = await startEmulatedService(client);
			await gone.emulator.close();

			const { error } = await runNode(client, gone.credential, {
				...get,
				requestOptions: { maxRetries: 0 },
			});

			expect(error?.message).toMatch(/cannot be reached/);
			expect(error?.description).toMatch(/Base URL/);
		});
	});

	test('with On Error: Continue (using error output), a failed item goes to the error branch with its input', async () => {
		const execution = await runNode(client, service.credential, start, {
			items: contacts,
			onError: 'continueErrorOutput',
		});

		expect(execution.status).toBe('success');
		expect(itemsOf(execution, NODE, 0)).toHaveLength(2);
		expect(itemsOf(execution, NODE, 1)).toEqual([
			{
				name: 'Bo',
				phone: BAD_PHONE,
				error: expect.stringMatching(/phone number/i),
				message: expect.stringContaining('country code'),
			},
		]);
	});

	test('with On Error: Continue, every item comes out, in order', async () => {
		const execution = await runNode(client, service.credential, start, {
			items: contacts,
			onError: 'continueRegularOutput',
		});

		const items = itemsOf(execution, NODE);
		expect(items).toHaveLength(3);
		expect(items.map((item) => 'error' in item)).toEqual([false, true, false]);
	});

	test('no stored execution contains the secret key', async () => {
		const { id } = await runNode(client, service.credential, get);
		const stored = JSON.stringify(await client.executions.get(id));

		expect(stored).toContain('uid 123 is no call');
		expect(stored).not.toContain(service.emulator.secretKey);
	});
});
