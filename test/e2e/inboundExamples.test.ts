import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import type { InboundWait } from '../../emulator/inboundWaits';
import { webhookPayload } from '../../emulator/webhookPayload';
import {
	callWebhook,
	connect,
	type N8nClient,
	productionUrl,
	waitUntil,
	type WebhookAnswer,
	type WorkflowFile,
	withParameters,
} from '../../harness';
import { startCrmStandIn } from './crmStandIn';
import { instances } from './instances';
import { API_HEADERS, createHeaderCredential } from '../../harness/workflows/loginApi';
import {
	parameterOf,
	readExample,
	withChosenCredentials,
	withOwnAddresses,
	withSavedExecutions,
} from '../../harness/workflows/publishedExample';
import {
	CREDENTIAL_TYPE,
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';
import { testIfPostgres, withPostgres } from './withPostgres';

const REPORTS = 10;
const CONTACT = { phone: '+7 900 000-00-01', contact: 'contact/42' };
const PHONE = '79000000001';
const TIME: unknown = expect.stringMatching(/^20.*Z$/);
/** None of them is the reference of a call that came. */
const UNKNOWN = ['', '0:contact/42', 'contact/42', "' OR true --", '{{ $execution.id }}'];

const reference = z.object({ reference: z.string() });

/** The same callback with a new seal. */
function sealedAnew({ callbackUrl, phone }: InboundWait, secretKey: string): string {
	const { searchParams, pathname } = new URL(callbackUrl);
	const seal = {
		phone,
		expiresAt: Number(searchParams.get('exp')),
		reference: searchParams.get('ref') ?? '',
		issuer: searchParams.get('iss') ?? '',
		nonce: sealNonce(randomBytes),
		target: pathname.split('/').at(-2) ?? '',
	};
	return sealCallback(callbackUrl, seal, secretKey);
}

describe.each(instances)('the examples of inbound calls in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let service: EmulatedService;
	const prefix = `inbound-examples-${line.replace('.', '-')}`;

	beforeAll(async () => {
		client = await connect({ line, url });
	});

	beforeEach(async () => {
		service = await startEmulatedService(client);
	});

	afterEach(async () => {
		await service.emulator.close();
	});

	// In n8n 1.x no node can create a table, and simultaneous writes to tables break its SQLite connection.
	if (line !== '1.x') {
		test('on-inbound-call updates the contact once, however often its call is reported', async () => {
			const file = withSavedExecutions(await readExample('on-inbound-call'));
			const { id, ask, hasCalled } = await publish(file, `${prefix}-tables`);
			for (const time of ['first', 'second']) {
				const made = await client.executions.wait(await client.workflows.run(id, 'Run Once'));
				expect([time, made.error]).toEqual([time, undefined]);
			}
			const answer = await ask(CONTACT);
			const own = reference.parse(answer.json).reference;
			expect(await hasCalled(own)).toBe(false);
			await reportManyTimes();
			// The other four created the tables, twice, requested the number and asked for the call.
			const executions = await allEnded(id, REPORTS + 4);
			const updates = executions.filter(({ nodes }) => nodes['Update Contact']);
			const [wait] = service.emulator.ledger.inboundWaits;

			expect(answer).toMatchObject({ status: 200, json: { call: `+${wait?.confirmationNumber}` } });
			expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['success']));
			expect(updates).toHaveLength(1);
			expect(await client.dataTables.rows('verified_contacts')).toEqual([
				expect.objectContaining({ contact: 'contact/42', phone: PHONE, verified_at: TIME }),
			]);
			expect(await hasCalled(own)).toBe(true);
			for (const unknown of UNKNOWN) expect([unknown, await hasCalled(unknown)]).toContain(false);
		});
	}

	test('on-inbound-call refuses malformed or disallowed requests, and sends nothing', async () => {
		const phone = '+7 900 000-00-01';
		const bodies = [
			{},
			[],
			{ phone },
			{ phone, contact: '' },
			{ phone, contact: ['42'] },
			{ phone: 'my phone', contact: '42' },
			{ phone: '+44 7700 900123', contact: '42' },
		];
		const { ask } = await publish(await readExample('on-inbound-call'), `${prefix}-refusing`);
		for (const body of bodies) {
			const { status, json } = await ask(body);
			expect({ body, status, json }).toEqual({
				body,
				status: 400,
				json: { error: expect.any(String) },
			});
		}
		expect(service.emulator.ledger.requests).toEqual([]);
	});

	testIfPostgres('on-inbound-call-postgres updates the contact once per call', async () => {
		const crm = await startCrmStandIn();
		const example = withSavedExecutions(await readExample('on-inbound-call-postgres'));
		const address = parameterOf(example, 'Update Contact', 'url');
		const file = withParameters(example, 'Update Contact', {
			url: address.replace('https://crm.example.com', crm.url),
		});
		await withPostgres(async ({ login }) => {
			const postgres = await client.credentials.create(`Database of ${prefix}`, 'postgres', login);
			const { id, ask, hasCalled } = await publish(file, `${prefix}-postgres`, { postgres });
			const table = await client.executions.wait(await client.workflows.run(id, 'Run Once'));
			expect(table.error).toBeUndefined();
			const own = reference.parse((await ask(CONTACT)).json).reference;
			expect(await hasCalled(own)).toBe(false);
			await reportManyTimes();
			// The other three created the table, requested the number and asked for the call.
			const executions = await allEnded(id, REPORTS + 3);

			expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['success']));
			expect(crm.updates).toEqual([
				{
					contact: 'contact/42',
					values: { phone: PHONE, phone_verified: true, verified_at: TIME },
				},
			]);
			expect(await hasCalled(own)).toBe(true);
			for (const unknown of UNKNOWN) expect([unknown, await hasCalled(unknown)]).toContain(false);
			await client.credentials.delete(postgres);
		}).finally(async () => await crm.close());
	});

	test.each(['on-inbound-call', 'on-inbound-call-postgres'])(
		'%s stores no execution with the header of the site, even if its table is missing',
		async (name) => {
			const example = await readExample(name);
			const missing = { dataTableId: { __rl: true, mode: 'name', value: 'missing' } };
			const file = name.endsWith('postgres')
				? example
				: ['Find the Call', 'Claim the Call'].reduce(
						(changed, node) => withParameters(changed, node, missing),
						example,
					);
			const login = { host: '127.0.0.1', database: '', user: '', password: '' };
			const postgres = await client.credentials.create(`No database ${name}`, 'postgres', login);
			const { id, ask, status } = await publish(file, `${prefix}-storing-${name}`, { postgres });

			expect(await ask(CONTACT)).toMatchObject({ status: 200 });
			expect(await ask({})).toMatchObject({ status: 400 });
			expect(await status('0:contact/42')).toMatchObject({ status: 503, json: { called: false } });
			expect(await status('0:contact/42', {})).toMatchObject({ status: 403 });
			const stored = async (count: number) => {
				let seen = '';
				return await waitUntil(
					async () => {
						const found = await client.executions.list(id);
						seen = JSON.stringify(found);
						const isOver = found.every(({ status: now }) => now === 'error');
						return isOver && found.length === count ? found : undefined;
					},
					{ what: `${count} executions are stored`, limit: 60_000, seen: () => seen },
				);
			};
			await stored(0);

			expect(await service.emulator.callFrom(PHONE)).toMatchObject({ status: 200 });
			const [failed] = await stored(1);
			const data = JSON.stringify(await client.executions.get(failed?.id ?? ''));
			expect(data).toContain(PHONE);
			for (const secret of Object.values(API_HEADERS)) expect(data).not.toContain(secret);
		},
	);

	async function publish(
		file: WorkflowFile,
		ownPrefix: string,
		credentials: Parameters<typeof withChosenCredentials>[1] = {},
	) {
		const chosen = withChosenCredentials(file, {
			[CREDENTIAL_TYPE]: service.credential,
			httpHeaderAuth: await createHeaderCredential(client, `Header of ${ownPrefix}`),
			...credentials,
		});
		const own = withOwnAddresses(chosen, ownPrefix);
		const { id } = await client.workflows.create(own);
		await client.workflows.publish(id);
		const path = parameterOf(own, 'Request', 'path');
		const ask = async (body: object): Promise<WebhookAnswer> =>
			await callWebhook(productionUrl(url, path), { body, headers: API_HEADERS });
		const statusUrl = productionUrl(url, parameterOf(own, 'Status', 'path'));
		const status = async (asked: string, headers: Record<string, string> = API_HEADERS) =>
			await callWebhook(`${statusUrl}?reference=${encodeURIComponent(asked)}`, {
				method: 'GET',
				headers,
			});
		const hasCalled = async (asked: string) => {
			const { status: code, json } = await status(asked);
			expect([asked, code]).toEqual([asked, 200]);
			return z.object({ called: z.boolean() }).parse(json).called;
		};
		return { id, ask, status, hasCalled };
	}

	/**
	 * Each report has its own call ID and seal, so it passes the trigger, as a repeat does after a restart or in another
	 * process. Only the reference shows that they are the same call. A report that a busy n8n answers with an error is
	 * resent.
	 */
	async function reportManyTimes(): Promise<void> {
		const { ledger, secretKey } = service.emulator;
		const [wait] = ledger.inboundWaits;
		if (!wait) throw new Error('Nobody was asked to call');
		const report = async (_none: unknown, index: number) => {
			const address = sealedAnew(wait, secretKey);
			const body = { ...webhookPayload(wait), callId: String(wait.vendorId + index) };
			let seen = 0;
			await waitUntil(
				async () => {
					seen = (await callWebhook(address, { body })).status;
					return seen === 200 || undefined;
				},
				{ what: 'the event is accepted', limit: 60_000, seen: () => String(seen) },
			);
		};
		await Promise.all(Array.from({ length: REPORTS }, report));
	}

	/** Resolves with the workflow's executions once there are `count` and all have ended. */
	async function allEnded(workflowId: string, count: number) {
		let seen: Array<{ id: string; status: string }> = [];
		await waitUntil(
			async () => {
				seen = await client.executions.list(workflowId);
				const isOver = seen.every(({ status }) => !['new', 'running'].includes(status));
				return (isOver && seen.length === count) || undefined;
			},
			{
				what: `${count} executions have ended`,
				limit: 60_000,
				seen: () => seen.map(({ status }) => status).join(', '),
			},
		);
		return await Promise.all(seen.map(async ({ id }) => await client.executions.wait(id)));
	}
});
