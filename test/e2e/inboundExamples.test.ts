import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import type { InboundWait } from '../../emulator/service/state';
import { webhookPayload } from '../../emulator/people/inboundCalls';
import {
	callWebhook,
	type Credential,
	productionUrl,
	waitUntil,
	type WebhookAnswer,
	type WorkflowFile,
	withParameters,
} from '../../harness';
import { startCrmStandIn } from './crmStandIn';
import { describeInN8n } from './inN8n';
import {
	asPasted,
	parameterOf,
	publishExample,
	withoutSavedSuccesses,
	withSavedExecutions,
} from '../../harness/workflows/examples';
import {
	createSiteCredential,
	SITE_SECRET,
	siteHeaders,
} from '../../harness/workflows/siteRequests';
import { nodesThatStore, secretsIn, storedExecutions } from './storedExecutions';
import { testIfPostgres, withPostgres } from './withPostgres';

const REPORTS = 10;
const CONTACT = { phone: '+7 900 000-00-01', contact: 'contact/42' };
const PHONE = '79000000001';
const DATABASE_PASSWORD = 'of-no-database';
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

describeInN8n('the examples of inbound calls', {}, (n8n) => {
	const prefix = `inbound-examples-${n8n.line.replace('.', '-')}`;

	/** Reports a call many times, and returns the executions. The example counts the call once. */
	async function executionsOfOneCall(
		name: string,
		tables: number,
		credentials: Readonly<Record<string, Credential>> = {},
		change = (file: WorkflowFile): WorkflowFile => file,
	) {
		const { id, ask, hasCalled } = await publish(name, 'once', credentials, (file) =>
			withSavedExecutions(change(file)),
		);
		for (let time = 0; time < tables; time++) {
			const made = await n8n.client.run(id, 'Run Once');
			expect(made.error).toBeUndefined();
		}
		const answer = await ask(CONTACT);
		const own = reference.parse(answer.json).reference;
		expect(await hasCalled(own)).toBe(false);
		const { confirmationNumber } = await reportManyTimes();
		// Two more requested the number and asked for the call.
		const executions = await storedExecutions(n8n.client, id, REPORTS + tables + 2);

		expect(answer).toMatchObject({ status: 200, json: { call: `+${confirmationNumber}` } });
		expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['success']));
		expect(await hasCalled(own)).toBe(true);
		for (const unknown of UNKNOWN) expect([unknown, await hasCalled(unknown)]).toContain(false);
		return executions;
	}

	// In n8n 1.x no node can create a table, and simultaneous writes to tables break its SQLite connection.
	if (n8n.line !== '1.x') {
		test('on-inbound-call updates the contact once, however often its call is reported', async () => {
			// Its tables may be there already.
			const executions = await executionsOfOneCall('on-inbound-call', 2);

			expect(executions.filter(({ nodes }) => nodes['Update Contact'])).toHaveLength(1);
			expect(await n8n.client.dataTables.rows('verified_contacts')).toEqual([
				expect.objectContaining({ contact: 'contact/42', phone: PHONE, verified_at: TIME }),
			]);
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
		const { requests } = n8n.emulator.ledger;
		const before = requests.length;
		const { ask } = await publish('on-inbound-call', 'refusing');
		for (const body of bodies) {
			const { status, json } = await ask(body);
			const refused = { body, status: 400, json: { error: expect.any(String) } };
			expect({ body, status, json }).toEqual(refused);
		}
		expect(requests).toHaveLength(before);
	});

	testIfPostgres('on-inbound-call-postgres updates the contact once per call', async () => {
		const crm = await startCrmStandIn();
		await withPostgres(async ({ login }) => {
			const { credentials } = n8n.client;
			const postgres = await credentials.create(`Database of ${prefix}`, 'postgres', login);
			await executionsOfOneCall('on-inbound-call-postgres', 1, { postgres }, (file) => {
				const address = parameterOf(file, 'Update Contact', 'url');
				const url = address.replace('https://crm.example.com', crm.url);
				return withParameters(file, 'Update Contact', { url });
			});

			const values = { phone: PHONE, phone_verified: true, verified_at: TIME };
			expect(crm.updates).toEqual([{ contact: 'contact/42', values }]);
			await credentials.delete(postgres);
		}).finally(async () => await crm.close());
	});

	test.each(['on-inbound-call', 'on-inbound-call-postgres'])(
		'%s stores no execution with the header of the site, even if its table is missing',
		async (name) => {
			const missing = { dataTableId: { __rl: true, mode: 'name', value: 'missing' } };
			const tables = name.endsWith('postgres') ? [] : ['Find the Call', 'Claim the Call'];
			const login = { host: '127.0.0.1', database: '', user: '', password: '' };
			const { credentials } = n8n.client;
			const postgres = await credentials.create(`No database ${name}`, 'postgres', login);
			const { id, ask, status } = await publish(name, 'storing', { postgres }, (file) =>
				tables.reduce((changed, node) => withParameters(changed, node, missing), file),
			);

			expect(await ask(CONTACT)).toMatchObject({ status: 200 });
			expect(await ask({})).toMatchObject({ status: 400 });
			expect(await status('0:contact/42')).toMatchObject({ status: 503, json: { called: false } });
			expect(await status('0:contact/42', {})).toMatchObject({ status: 401 });
			await storedExecutions(n8n.client, id, 0);

			expect(await n8n.emulator.callFrom(PHONE)).toMatchObject({ status: 200 });
			const stored = await storedExecutions(n8n.client, id, 1);
			expect(stored.map((execution) => execution.status)).toEqual(['error']);
			const data = JSON.stringify(stored);
			expect(data).toContain(PHONE);
			expect(data).not.toContain(SITE_SECRET);
		},
	);

	test.each(['on-inbound-call', 'on-inbound-call-postgres'])(
		'%s, pasted, stores numbers, but no secret; after the step in its note, no successful execution',
		async (name) => {
			const login = { host: '127.0.0.1', database: '', user: '', password: DATABASE_PASSWORD };
			const { credentials } = n8n.client;
			const postgres = await credentials.create(`No database of ${name}`, 'postgres', login);
			const missing = { dataTableId: { __rl: true, mode: 'name', value: 'missing' } };
			const tables = name.endsWith('postgres') ? [] : ['Find the Call'];
			const withoutTable = (file: WorkflowFile) =>
				tables.reduce((changed, node) => withParameters(changed, node, missing), asPasted(file));
			const pasted = await publish(name, 'pasted', { postgres }, withoutTable);
			const stepped = await publish(name, 'stepped', { postgres }, (file) =>
				withoutSavedSuccesses(withoutTable(file)),
			);
			for (const { ask, status } of [stepped, pasted]) {
				expect(await ask(CONTACT)).toMatchObject({ status: 200 });
				expect(await status('0:contact/42')).toMatchObject({ status: 503 });
			}
			const stored = await storedExecutions(n8n.client, pasted.id, 2);
			const [seal = ''] = n8n.emulator.ledger.inboundWaits
				.slice(-1)
				.map(({ callbackUrl }) => new URL(callbackUrl).searchParams.get('sig') ?? '');
			expect(seal).not.toBe('');
			const { secretKey } = n8n.emulator;
			expect(secretsIn(stored, { SITE_SECRET, secretKey, seal, DATABASE_PASSWORD })).toEqual([]);
			expect(nodesThatStore(stored, 'authorization')).toEqual(['Request', 'Status']);
			expect(nodesThatStore(stored, CONTACT.phone)).toEqual([
				'Is It Complete?',
				'Phone and Contact',
				'Request',
			]);
			// The service shows it masked.
			expect(nodesThatStore(stored, PHONE)).toEqual([]);

			await storedExecutions(n8n.client, stepped.id, 0);
		},
	);

	async function publish(
		name: string,
		purpose: string,
		credentials: Readonly<Record<string, Credential>> = {},
		change?: (file: WorkflowFile) => WorkflowFile,
	) {
		const own = `${prefix}-${purpose}-${name}`;
		const site = await createSiteCredential(n8n.client, `Site of ${own}`);
		const chosen = { ...site, ...credentials };
		const { id, file } = await publishExample(name, own, n8n, chosen, change);
		const urlOf = (node: string) => productionUrl(n8n.url, parameterOf(file, node, 'path'));
		const ask = async (body: object): Promise<WebhookAnswer> =>
			await callWebhook(urlOf('Request'), { body, headers: siteHeaders() });
		const status = async (asked: string, headers = siteHeaders()) =>
			await callWebhook(`${urlOf('Status')}?reference=${encodeURIComponent(asked)}`, {
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
	async function reportManyTimes(): Promise<InboundWait> {
		const { ledger, secretKey } = n8n.emulator;
		const wait = ledger.inboundWaits.at(-1);
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
				{ what: 'the event is accepted', seen: () => String(seen) },
			);
		};
		await Promise.all(Array.from({ length: REPORTS }, report));
		return wait;
	}
});
