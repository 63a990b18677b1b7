import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import type { Ledger } from '../../emulator/ledger';
import { ALWAYS_FAILS } from '../../emulator/testNumbers';
import { ucaller } from '../../emulator/ucaller';
import {
	callWebhook,
	type Execution,
	filesOf,
	FormVisitor,
	formUrl,
	itemsOf,
	type N8nClient,
	productionUrl,
	type RunningN8n,
} from '../../harness';
import {
	CREDENTIAL_TYPE,
	credentialData,
	type EmulatedService,
} from '../../harness/workflows/emulatedService';
import { exampleParameters } from '../../harness/workflows/exampleParameters';
import { inFolder } from '../../harness/workflows/inFolder';
import { LargeList } from '../../harness/workflows/largeList';
import { API_HEADERS, createHeaderCredential, LoginApi } from '../../harness/workflows/loginApi';
import { NODE, type OperationParameters, runNode } from '../../harness/workflows/nodeRunner';
import {
	parameterOf,
	readExample,
	withSavedExecutions,
} from '../../harness/workflows/publishedExample';
import { startService } from '../../harness/service';
import { operations } from '../../scripts/generate/outputSources';
import { inboundCall } from '../versions/inboundCall';
import { startCrmStandIn } from '../e2e/crmStandIn';
import { createModelCredential, startModelStandIn, type Turn } from '../e2e/modelStandIn';
import { waitsAfter } from '../e2e/waitsAfter';
import { testIfPostgres, withPostgres } from '../e2e/withPostgres';
import { withParameters } from '../../harness/rest/withParameters';

/** Where the walk goes: one n8n, however many processes it has. */
export interface Walked {
	readonly client: N8nClient;
	/** The process that receives webhooks and shows forms. */
	readonly webhooks: Pick<RunningN8n, 'url'>;
	readonly userFolder: string;
}

/** Operations that this service, or this test, treats in a way of its own. */
const APART = ['call.repeat', 'inboundCall.wait'];
const plain = operations.filter(({ name }) => !APART.includes(name));

/** What the service leaves out if it does not apply. */
const OPTIONAL = ['client', 'exists'];

let people = 0;
/** Nobody is called twice, because 15 seconds would have to pass in between. */
const somebody = () => `7916200${String(++people).padStart(4, '0')}`;

/** A walk through all operations and examples with a service that answers like the public one, limits included. */
export function walkThrough(walked: () => Walked): void {
	let client: N8nClient;
	let webhooks: Walked['webhooks'];
	let service: EmulatedService;
	let ledger: Ledger;

	beforeAll(async () => {
		({ client, webhooks } = walked());
		const emulator = await startService({ as: 'ucaller', ...ucaller });
		const data = credentialData(emulator);
		// n8n's default name for a new credential, by which imported examples find it.
		const name = 'Call Verification account';
		const credential = await client.credentials.create(name, CREDENTIAL_TYPE, data);
		service = { emulator, credential, data };
		ledger = emulator.ledger;
	});

	afterAll(async () => await service?.emulator.close());

	async function runOne(parameters: OperationParameters): Promise<Execution> {
		return await runNode(client, service.credential, parameters);
	}

	async function outputOf(parameters: OperationParameters): Promise<IDataObject> {
		const execution = await runOne(parameters);
		expect(execution.error).toBeUndefined();
		return itemsOf(execution, NODE)[0] ?? {};
	}

	const start = (phone: string, values: object = {}): OperationParameters => ({
		resource: 'call',
		operation: 'start',
		phone,
		...values,
	});

	describe('an operation', () => {
		test.each(plain)('$name returns its fields in our names', async ({ name, operation }) => {
			const { vendor_id: uid } = await outputOf(start(somebody()));
			const parameters = exampleParameters(name, Number(uid));
			const own = name === 'call.start' ? { phone: somebody() } : {};
			const names = Object.keys(await outputOf({ ...parameters, ...own }));
			const declared = Object.keys(operation.output);
			expect(names).toEqual(declared.filter((each) => names.includes(each)));
			expect(declared.filter((each) => !names.includes(each) && !OPTIONAL.includes(each))).toEqual(
				[],
			);
		});

		test('call.start returns a call that could not be connected, with its ID', async () => {
			// A minute ago, so that the number may be called again.
			service.emulator.setNow(Date.now() - 60_000);
			const item = await outputOf(start(ALWAYS_FAILS, { waitForResult: true }));
			service.emulator.setNow(Date.now());
			const call = ledger.calls.at(-1);
			expect(item).toMatchObject({
				status: false,
				vendor_id: call?.vendorId,
				phone: '7900***0002',
				call_state: 'failed',
			});
		});

		test('call.start says what to do when a number was called a moment ago', async () => {
			const phone = somebody();
			await outputOf(start(phone));
			const { error } = await runOne(start(phone));
			expect(error?.message).toContain('(code 19)');
			expect(JSON.stringify(error)).toContain('15 seconds');
			expect(ledger.calls.filter((call) => call.phone === phone)).toHaveLength(1);
		});

		test('call.repeat says that the service no longer supports it', async () => {
			const { vendor_id: uid } = await outputOf(start(somebody()));
			const repeat = { resource: 'call', operation: 'repeat', uid: Number(uid) };
			const { error } = await runOne(repeat);
			expect(error?.message).toContain('The service no longer supports repeating a call');
		});

		test.each(['trigger', 'execution'] as const)(
			'inboundCall.start leads to the event of the %s',
			async (target) => {
				const { pathname } = await inboundCall(webhooks, client, service, target);
				expect(pathname).toContain('/inbound-call');
			},
		);
	});

	describe('the example', () => {
		const imported = async (name: string) =>
			(await client.workflows.create(withSavedExecutions(await readExample(name)))).id;

		async function published(name: string): Promise<string> {
			const id = await imported(name);
			await client.workflows.publish(id);
			return id;
		}

		async function succeeded(id: string, trigger?: string): Promise<Execution> {
			const execution = await client.executions.wait(await client.workflows.run(id, trigger));
			expect(execution.error).toBeUndefined();
			return execution;
		}

		test('check-phone-list checks its rows', async () => {
			const folder = filesOf(walked().userFolder);
			await writeFile(join(folder, 'phones.csv'), `name,phone\nAnn,${somebody()}\nBen,12\nCara,\n`);
			const { id } = await client.workflows.create(
				inFolder(await readExample('check-phone-list'), folder),
			);
			const execution = await succeeded(id);
			expect(itemsOf(execution, 'Valid?', 0)).toEqual([expect.objectContaining({ name: 'Ann' })]);
			expect(itemsOf(execution, 'Valid?', 1).map(({ name }) => name)).toEqual(['Ben', 'Cara']);
		});

		test('check-large-list checks its list', async () => {
			const list = await LargeList.import(client, walked(), { maxCostPerRun: 0 });
			await list.writeList(`name,phone\nAnn,${somebody()}\nBen,12\n`);
			await list.run(client);
			expect(await list.checkedRows()).toEqual([
				expect.stringMatching(/^name,phone,valid/),
				expect.stringMatching(/^Ann,.*TRUE/),
				expect.stringMatching(/^Ben,12,FALSE/),
			]);
		});

		test('low-balance-alert reads the balance', async () => {
			const execution = await succeeded(await imported('low-balance-alert'));
			expect(execution.nodes).not.toHaveProperty('Alert');
			expect(ledger.requests.at(-1)).toMatchObject({ method: 'getBalance' });
		});

		test('call-and-check-code verifies a visitor, and says if a call did not get through', async () => {
			await published('call-and-check-code');
			const form = formUrl(webhooks.url, await readExample('call-and-check-code'));
			const visitor = await FormVisitor.start(form, `+${somebody()}`);
			await visitor.nextPage();
			await visitor.submit(ledger.calls.at(-1)?.code ?? '');
			expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });

			const unreachable = await FormVisitor.start(form, ALWAYS_FAILS);
			expect(await unreachable.nextPage()).toMatchObject({ title: 'We could not reach you' });
		});

		test('login-api verifies a number with the code', async () => {
			const { credential } = service;
			const api = await LoginApi.publish({
				client,
				credential,
				urls: [webhooks.url],
				prefix: 'walk',
			});
			const phone = somebody();
			const token = await api.start(`+${phone}`);
			expect(await api.check(token, ledger.calls.at(-1)?.code ?? '')).toMatchObject({
				status: 200,
				json: { verified: true, phone },
			});
		});

		test('verify-by-inbound-call thanks the visitor when the call has come', async () => {
			const id = await published('verify-by-inbound-call');
			const form = formUrl(webhooks.url, await readExample('verify-by-inbound-call'));
			const phone = somebody();
			const visitor = await FormVisitor.start(form, `+${phone}`);
			const page = await visitor.nextPage();
			expect(page.title).toBe('Call this number now');
			await waitsAfter(client, id, 'Waiting for a Call?');
			await service.emulator.callFrom(phone);
			expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });
		});

		async function requestCall(name: string, contact: string, phone: string) {
			const path = parameterOf(await readExample(name), 'Request', 'path');
			const body = { phone: `+${phone}`, contact };
			const headers = API_HEADERS;
			return await callWebhook(productionUrl(webhooks.url, path), { body, headers });
		}

		test('on-inbound-call updates the contact', async () => {
			await createHeaderCredential(client, 'Header Auth account');
			const phone = somebody();
			const id = await imported('on-inbound-call');
			await succeeded(id, 'Run Once');
			await client.workflows.publish(id);
			expect(await requestCall('on-inbound-call', 'contact/7', phone)).toMatchObject({
				status: 200,
			});
			await client.executions.startedBy(
				id,
				async () => expect(await service.emulator.callFrom(phone)).toMatchObject({ status: 200 }),
				{ ran: 'Update Contact' },
			);
			expect(await client.dataTables.rows('verified_contacts')).toEqual([
				expect.objectContaining({ contact: 'contact/7', phone }),
			]);
			await client.workflows.unpublish(id);
		});

		/** By this name imported examples find it, so there must never be two. */
		async function withDatabase(use: () => Promise<void>): Promise<void> {
			await withPostgres(async ({ login }) => {
				const database = await client.credentials.create('Postgres account', 'postgres', login);
				await use().finally(async () => await client.credentials.delete(database));
			});
		}

		testIfPostgres('on-inbound-call-postgres updates the contact', async () => {
			const crm = await startCrmStandIn();
			await withDatabase(async () => {
				const file = withSavedExecutions(await readExample('on-inbound-call-postgres'));
				const url = parameterOf(file, 'Update Contact', 'url');
				const { id } = await client.workflows.create(
					withParameters(file, 'Update Contact', {
						url: url.replace('https://crm.example.com', crm.url),
					}),
				);
				const phone = somebody();
				await succeeded(id, 'Run Once');
				await client.workflows.publish(id);
				expect(await requestCall('on-inbound-call-postgres', 'contact/8', phone)).toMatchObject({
					status: 200,
				});
				await client.executions.startedBy(id, async () => {
					await service.emulator.callFrom(phone);
				});
				expect(crm.updates).toEqual([
					{
						contact: 'contact/8',
						values: expect.objectContaining({ phone, phone_verified: true }) as unknown,
					},
				]);
				await client.workflows.unpublish(id);
			}).finally(async () => await crm.close());
		});

		testIfPostgres('check-large-list-workers checks its table', async () => {
			await withDatabase(async () => {
				const id = await imported('check-large-list-workers');
				await succeeded(id, 'Set Up');
				await succeeded(id, 'Every Minute');
				expect(itemsOf(await succeeded(id, 'Set Up'), 'Progress')).toEqual([
					expect.objectContaining({ rows: 8, checked: 7, failed: 0 }),
				]);
			});
		});

		test('ai-agent checks a number, calls it and checks the code', async () => {
			const phone = `+${somebody()}`;
			const script: Turn[] = [
				{ tool: 'Check_Number', arguments: { phone } },
				{ tool: 'Call_With_Code', arguments: { phone } },
				{ say: 'Which four digits?' },
			];
			const model = await startModelStandIn(script);
			await createModelCredential(client, model, 'OpenAi account');
			const id = await imported('ai-agent');
			const say = async (text: string) =>
				await client.executions.wait(await client.workflows.chat(id, 'visitor', text));
			await say(`Please verify ${phone}`);
			const [token = ''] = /v1\.[0-9a-f]{96}/.exec(model.toolAnswers().at(-1) ?? '') ?? [];
			const code = ledger.calls.at(-1)?.code ?? '';
			script.push(
				{ tool: 'Check_Code', arguments: { verification_token: token, code } },
				{ say: 'You are verified.' },
			);
			await say(`They are ${code}`);
			expect(model.toolAnswers().at(-1)).toContain('"matched":true');
			await model.close();
		});
	});
}
