import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { webhookPayload } from '../../emulator/people/inboundCalls';
import {
	callWebhook,
	type Execution,
	FormVisitor,
	formUrl,
	itemsOf,
	readWorkflowFiles,
	waitUntil,
	withParameters,
	type WorkflowFile,
} from '../../harness';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import { type OtherServer, startOtherServer } from '../../harness/workflows/otherServers';
import {
	withChosenCredentials,
	withCountryCode,
	withOwnAddresses,
} from '../../harness/workflows/examples';
import { CloudStandIn } from './cloudStandIn';
import { describeLongInOwnN8n } from './inN8n';
import { withTranslatedLabels } from './translated';

const RECIPES = join(__dirname, '../../examples/recipes');
/** n8n looks for executions whose time is over once a minute, and that of lost-event waits twice. */
const TIMER_LIMIT = 300_000;
/** Who may open the form for HubSpot. */
const TEAM = { user: 'team', password: 'long and random' };
const TESTED = [
	'lost-event',
	'results-to-airtable',
	'results-to-data-table',
	'results-to-google-sheets',
	'hubspot-check-contacts',
	'telegram-login',
	'verified-call-to-hubspot',
];
/** In a file for each CRM, as the first argument of `recipe` or `setUpRecipe`. */
const OF_A_CRM: Readonly<Record<string, readonly string[]>> = {
	'crmAmocrm.test.ts': ['amocrm-check-contacts', 'amocrm-new-contact'],
	'crmTilda.test.ts': ['tilda-lead'],
	'crmBitrix24.test.ts': ['bitrix24-check-contacts', 'bitrix24-verified-call'],
};
/** Of the others: how many items come out of which nodes. */
const COMES_OUT: ReadonlyArray<[recipe: string, items: Readonly<Record<string, number>>]> = [
	['call-valid-mobiles', { Check: 3, 'Valid Mobiles': 1, Call: 1 }],
	['did-the-phone-ring', { 'Try Another Way': 1 }],
	['enough-balance', { 'Check the List': 1 }],
	['keep-your-columns', { Check: 2 }],
	['list-with-a-budget', { Checked: 3, 'Not Checked': 1 }],
];
/** What the tables of the recipes have. */
const FIELDS = ['phone', 'valid', 'operator', 'country', 'reason', 'checked_phone'];
const CALL = { status: true, vendor_id: 7, phone: '7900***0001' };

test('every recipe is tested', async () => {
	for (const [file, names] of Object.entries(OF_A_CRM)) {
		const test = await readFile(join(__dirname, file), 'utf8');
		const isTested = (name: string) => new RegExp(`recipe\\('${name}'`, 'i').test(test);
		expect(names.filter((name) => !isTested(name))).toEqual([]);
	}
	const ofCrms = Object.values(OF_A_CRM).flat();
	const tested = [...TESTED, ...ofCrms, ...COMES_OUT.map(([name]) => name)].sort();
	expect([...(await readWorkflowFiles(RECIPES)).keys()].sort()).toEqual(tested);
});

/** The table that a recipe reads and writes. */
interface Rows {
	readonly workflow: WorkflowFile;
	/** Somebody types this into the phone cell of a row. */
	type(index: number, phone: string): Promise<void>;
	/** The results, as text. */
	read(): Promise<Array<Record<string, string>>>;
}

const cellText = z
	.union([z.string(), z.boolean()])
	.nullish()
	.transform((cell) => String(cell ?? ''));

function resultIn(row: ReadonlyMap<string, unknown>): Record<string, string> {
	const text = (field: string) => cellText.parse(row.get(field));
	return {
		valid: text('valid').toUpperCase(),
		reason: text('reason'),
		checked_phone: text('checked_phone'),
	};
}

/** A service that never posts an event, and knows of the call when it is asked for the second time. */
async function startForgetfulService(): Promise<OtherServer> {
	let asked = 0;
	return await startOtherServer(({ url }, response) => {
		const record = url?.endsWith('/getInfo')
			? { ...CALL, call_status: ++asked === 1 ? -1 : 1 }
			: { ...CALL, confirmation_number: '74950000001' };
		response.setHeader('Content-Type', 'application/json').end(JSON.stringify(record));
	});
}

let cloud: CloudStandIn;

async function inCloud() {
	cloud = new CloudStandIn();
	return await cloud.start();
}

describeLongInOwnN8n('the recipes', inCloud, (n8n) => {
	let recipes: Map<string, WorkflowFile>;
	let forgetful: OtherServer;
	let waiting: string;

	beforeAll(async () => {
		const { client } = n8n;
		const chosen: Parameters<typeof withChosenCredentials>[1] = {
			[CREDENTIAL_TYPE]: n8n.credential,
		};
		const others = { ...CloudStandIn.credentials(), httpBasicAuth: TEAM };
		for (const [type, data] of Object.entries(others)) {
			Object.assign(chosen, { [type]: await client.credentials.create(type, type, data) });
		}
		const files = await readWorkflowFiles(RECIPES);
		recipes = new Map(
			[...files].map(([name, file]) => [
				name,
				withCountryCode(withChosenCredentials(file, chosen)),
			]),
		);
		// It waits while the other tests run.
		forgetful = await startForgetfulService();
		const data = { ...n8n.data, baseUrl: forgetful.url };
		const credential = await client.credentials.create('Forgetful', CREDENTIAL_TYPE, data);
		const lost = withChosenCredentials(recipe('lost-event'), { [CREDENTIAL_TYPE]: credential });
		const { id } = await client.workflows.create(
			withParameters(lost, 'Wait for the Call', { limitWaitTime: 0.02 }),
		);
		waiting = await client.workflows.run(id);
	});

	afterAll(() => forgetful?.close());

	test('results-to-google-sheets fills the rows that have no result, and changes no other cell', async () => {
		cloud.sheet = [
			['id', 'phone', 'note'],
			['007', '+7 (900) 000-00-01', '=1+1'],
			['008', 447700900123, ''],
			['009', '+7 000 000-00-01', 'nobody'],
		];
		const { id } = await n8n.client.workflows.create(
			withAddress('results-to-google-sheets', CloudStandIn.addresses.sheet),
		);
		expect(listRun(await run(id))).toMatchObject({
			...{ event: 'list', example: 'Write results to Google Sheets', name: 'Sheet1' },
			...{ rows: 3, valid: 2, invalid: 1, unreadable: 0, paid: 2, cost: 0.1 },
			seconds: expect.any(Number),
		});

		const added = ['valid', 'phone_e164', 'operator', 'country', 'reason', 'checked_phone'];
		const [header, ann, ben, cara] = cloud.sheet;
		expect(header).toEqual(['id', 'phone', 'note', ...added]);
		expect(ann).toEqual([
			...['007', '+7 (900) 000-00-01', '=1+1'],
			...[true, '+79000000001', 'North Line', 'Russia', 'ok', '+7 (900) 000-00-01'],
		]);
		expect(ben?.slice(0, 5)).toEqual(['008', 447700900123, '', true, '+447700900123']);
		expect(ben?.[8]).toBe('447700900123');
		expect(cara).toEqual([
			...['009', '+7 000 000-00-01', 'nobody', false, '', '', ''],
			...['The phone is in no numbering registry', '+7 000 000-00-01'],
		]);
		expect(cloud.isRaw).toBe(true);

		const paid = n8n.emulator.ledger.checks.length;
		cloud.sheet.push(['010', '+7 900 000-00-02', 'new']);
		await run(id);
		expect(cloud.sheet[4]?.slice(3, 5)).toEqual([true, '+79000000002']);
		expect(n8n.emulator.ledger.checks).toHaveLength(paid + 1);
	});

	test('results-to-airtable fills the records that have no result', async () => {
		cloud.fields = ['name', ...FIELDS];
		cloud.records = new Map<string, Record<string, string>>([
			['rec00000000000001', { phone: '+7 (900) 000-00-01', name: 'Ann' }],
			['rec00000000000002', { phone: '+7 000 000-00-01', name: 'Ben' }],
			['rec00000000000003', { phone: '+7 900 000-00-02', valid: 'TRUE', reason: 'mine' }],
		]);
		const { id } = await n8n.client.workflows.create(
			withAddress('results-to-airtable', CloudStandIn.addresses.table),
		);
		expect(listRun(await run(id))).toMatchObject({
			...{
				event: 'list',
				example: 'Write results to Airtable',
				name: CloudStandIn.addresses.table,
			},
			...{ rows: 2, valid: 1, invalid: 1, unreadable: 0, paid: 1, cost: 0.05 },
			seconds: expect.any(Number),
		});

		expect([...cloud.records.values()]).toEqual([
			{
				phone: '+7 (900) 000-00-01',
				name: 'Ann',
				valid: 'TRUE',
				operator: 'North Line',
				country: 'Russia',
				reason: 'ok',
				checked_phone: '+7 (900) 000-00-01',
			},
			expect.objectContaining({
				name: 'Ben',
				valid: 'FALSE',
				reason: 'The phone is in no numbering registry',
			}),
			{ phone: '+7 900 000-00-02', valid: 'TRUE', reason: 'mine' },
		]);
	});

	test('results-to-data-table fills the rows that have no result', async () => {
		const rows = [{ phone: '+7 (900) 000-00-01' }, { phone: '+7 000 000-00-01' }];
		const { id } = await n8n.client.workflows.create(await withDataTable('contacts', FIELDS, rows));
		expect(listRun(await run(id))).toMatchObject({
			...{ event: 'list', example: 'Write results to a data table', name: expect.any(String) },
			...{ rows: 2, valid: 1, invalid: 1, unreadable: 0, paid: 1, cost: 0.05 },
			seconds: expect.any(Number),
		});

		const paid = n8n.emulator.ledger.checks.length;
		await run(id);
		expect(n8n.emulator.ledger.checks).toHaveLength(paid);
		expect(await n8n.client.dataTables.rows('contacts')).toEqual([
			expect.objectContaining({ ...rows[0], valid: true, operator: 'North Line', reason: 'ok' }),
			expect.objectContaining({
				...rows[1],
				valid: false,
				reason: 'The phone is in no numbering registry',
				checked_phone: '+7 000 000-00-01',
			}),
		]);
	});

	describe.each(['results-to-google-sheets', 'results-to-airtable', 'results-to-data-table'])(
		'%s',
		(name) => {
			test('looks again at rows whose phone cell has changed, and pays for nothing twice', async () => {
				const rows = await rowsOf(name, ['+7 900 000-00-11', '', 'n/a', '+7 900 000-00-13']);
				const { id } = await n8n.client.workflows.create(rows.workflow);

				expect(await sentBy(id)).toEqual(['+7 900 000-00-11', '+7 900 000-00-13']);
				expect(await rows.read()).toEqual([
					{ valid: 'TRUE', reason: 'ok', checked_phone: '+7 900 000-00-11' },
					{ valid: '', reason: '', checked_phone: '' },
					{ valid: '', reason: 'unreadable: no number', checked_phone: 'n/a' },
					{ valid: 'TRUE', reason: 'ok', checked_phone: '+7 900 000-00-13' },
				]);
				expect(await itemsLookedAt(id)).toBe(0);

				await rows.type(0, '');
				await rows.type(1, '+7 900 000-00-12');
				await rows.type(3, '+7 000 000-00-01');
				expect(await sentBy(id)).toEqual(['+7 900 000-00-12', '+7 000 000-00-01']);
				expect(await rows.read()).toEqual([
					{ valid: '', reason: 'empty', checked_phone: '' },
					{ valid: 'TRUE', reason: 'ok', checked_phone: '+7 900 000-00-12' },
					{ valid: '', reason: 'unreadable: no number', checked_phone: 'n/a' },
					{
						valid: 'FALSE',
						reason: 'The phone is in no numbering registry',
						checked_phone: '+7 000 000-00-01',
					},
				]);
				await rows.type(2, '+7 900 000-00-14');
				expect(await sentBy(id)).toEqual(['+7 900 000-00-14']);
				expect(await itemsLookedAt(id)).toBe(0);
			});

			test('keeps the results, and pays for nothing, if the column has another name', async () => {
				const rows = await rowsOf(name, ['+7 900 000-00-41']);
				const { workflows } = n8n.client;
				await run((await workflows.create(rows.workflow)).id);
				const before = await rows.read();
				expect(before).toMatchObject([{ checked_phone: '+7 900 000-00-41' }]);

				const renamed = JSON.stringify(rows.workflow).replace("PHONE = 'phone'", "PHONE = 'tel'");
				const { id } = await workflows.create(JSON.parse(renamed) as WorkflowFile);
				const execution = await n8n.client.run(id);
				expect(execution.error?.message).toContain('No row has anything in "tel"');
				expect(await rows.read()).toEqual(before);
			});

			test('tries failed rows again, and leaves none with the result of an earlier number', async () => {
				const numbers = ['+7 900 000-00-21', '+7 900 000-00-22', '+7 900 000-00-23'];
				const rows = await rowsOf(name, numbers);
				const options = { includeInputFields: true, maxTotalCost: 0.05 };
				const forOneCheck = { options, requestOptions: { concurrency: 1 } };
				const { id } = await n8n.client.workflows.create(
					withParameters(rows.workflow, 'Check Number', forOneCheck),
				);
				const failed = {
					valid: '',
					reason: expect.stringContaining('was not checked'),
					checked_phone: '',
				};

				expect(await sentBy(id)).toEqual([numbers[0]]);
				expect((await rows.read()).slice(1)).toEqual([failed, failed]);
				expect(await sentBy(id)).toEqual([numbers[1]]);
				await rows.type(0, '+7 900 000-00-24');
				await rows.type(1, '+7 900 000-00-25');
				expect(await sentBy(id)).toEqual(['+7 900 000-00-24']);
				expect((await rows.read()).slice(1)).toEqual([failed, failed]);
				expect(await sentBy(id)).toEqual(['+7 900 000-00-25']);
				expect(await sentBy(id)).toEqual([numbers[2]]);
				expect(await itemsLookedAt(id)).toBe(0);
			});
		},
	);

	test.each(['results-to-airtable', 'results-to-data-table'])(
		'%s stops before anything is paid if the column of the checked number is missing',
		async (name) => {
			const withoutIt = FIELDS.filter((field) => field !== 'checked_phone');
			const { workflow } = await rowsOf(name, ['+7 900 000-00-31'], withoutIt);
			const { id } = await n8n.client.workflows.create(workflow);
			const paid = n8n.emulator.ledger.checks.length;

			const execution = await n8n.client.run(id);
			expect(execution.error).toBeDefined();
			expect(n8n.emulator.ledger.checks).toHaveLength(paid);
		},
	);

	test('verified-call-to-hubspot updates the contact that the team entered, and nobody else’s', async () => {
		const file = recipe('verified-call-to-hubspot');
		await n8n.client.workflows.publish((await n8n.client.workflows.create(file)).id);
		const form = formUrl(n8n.url, file);
		const phone = '8 900 000-00-01';

		await expect(FormVisitor.start(form, 'eve@example.com', phone)).rejects.toThrow(/with 401/);
		const login = Buffer.from(`${TEAM.user}:${TEAM.password}`).toString('base64');
		const headers = { authorization: `Basic ${login}` };
		const unread = await FormVisitor.startWith(headers, form, 'ann@example.com', 'my phone');
		expect(await unread.nextPage()).toMatchObject({
			title: 'No number to call',
			text: expect.stringContaining('Not a phone number'),
		});
		const visitor = await FormVisitor.startWith(headers, form, 'ann@example.com', phone);
		const { title } = await visitor.nextPage();
		const [wait, ...others] = n8n.emulator.ledger.inboundWaits;
		if (!wait) throw new Error('Nobody was asked to call');
		expect(others).toEqual([]);
		expect(title.replaceAll(' ', '')).toBe(`+${wait.confirmationNumber}`);

		const forged = wait.callbackUrl.replace('ann%40', 'eve%40');
		expect(forged).not.toBe(wait.callbackUrl);
		expect(await callWebhook(forged, { body: webhookPayload(wait) })).toMatchObject({
			status: 401,
		});
		expect(await n8n.emulator.callFrom('79000000001')).toMatchObject({ status: 200 });
		await waitUntil(async () => cloud.hubspot.withEmail('ann@example.com'), {
			what: 'HubSpot has an update',
		});
		expect([...cloud.hubspot.all.values()]).toEqual([
			{
				email: 'ann@example.com',
				mobilephone: '+79000000001',
				phone_verified: expect.stringMatching(/^20.*Z$/),
			},
		]);
	});

	test('verified-call-to-hubspot whose labels are translated does the same', async () => {
		const file = withTranslatedLabels(
			withOwnAddresses(recipe('verified-call-to-hubspot'), 'translated'),
		);
		await n8n.client.workflows.publish((await n8n.client.workflows.create(file)).id);
		const login = Buffer.from(`${TEAM.user}:${TEAM.password}`).toString('base64');
		const visitor = await FormVisitor.startWith(
			{ authorization: `Basic ${login}` },
			formUrl(n8n.url, file),
			'ben@example.com',
			'+7 900 000-00-02',
		);
		expect((await visitor.nextPage()).text).toContain('from the phone ending in 02');
		expect(await n8n.emulator.callFrom('79000000002')).toMatchObject({ status: 200 });
		await waitUntil(async () => cloud.hubspot.withEmail('ben@example.com'), {
			what: 'HubSpot has an update',
		});
	});

	test.each(COMES_OUT)('%s: %j', async (name, expected) => {
		const { id } = await n8n.client.workflows.create(recipe(name));
		const execution = await run(id);
		const counts = Object.keys(expected).map((node) => [node, itemsOf(execution, node).length]);
		expect(Object.fromEntries(counts)).toEqual(expected);
	});

	test(
		'lost-event finds out that the person has called',
		async () => {
			const execution = await n8n.client.executions.wait(waiting, {
				ran: 'Verified',
				limit: TIMER_LIMIT,
			});
			expect(execution.nodes['Wait for the Call']).toHaveLength(2);
			expect(itemsOf(execution, 'Verified')[0]).toMatchObject({ vendor_id: 7, call_status: 1 });
			expect(execution.nodes).not.toHaveProperty('Not Verified');
		},
		TIMER_LIMIT,
	);

	/** A table with these phone cells, and the recipe that checks it. */
	async function rowsOf(name: string, phones: readonly string[], fields = FIELDS): Promise<Rows> {
		if (name === 'results-to-google-sheets') {
			cloud.sheet = [['phone'], ...phones.map((phone) => [phone])];
			return {
				workflow: withAddress(name, CloudStandIn.addresses.sheet),
				type: async (index, phone) => void cloud.sheet[index + 1]?.splice(0, 1, phone),
				read: async () => {
					const [header = [], ...rows] = cloud.sheet;
					return rows.map((row) =>
						resultIn(new Map(header.map((field, column) => [String(field), row[column]]))),
					);
				},
			};
		}
		if (name === 'results-to-airtable') {
			cloud.fields = fields;
			cloud.records = new Map(phones.map((phone, index) => [`rec${index}`, { phone }]));
			return {
				workflow: withAddress(name, CloudStandIn.addresses.table),
				type: async (index, phone) => {
					cloud.records.set(`rec${index}`, { ...cloud.records.get(`rec${index}`), phone });
				},
				read: async () =>
					[...cloud.records.values()].map((fields) => resultIn(new Map(Object.entries(fields)))),
			};
		}
		const { dataTables } = n8n.client;
		const table = `contacts ${phones.join()}`;
		const workflow = await withDataTable(
			table,
			fields,
			phones.map((phone) => ({ phone })),
		);
		return {
			workflow,
			type: async (index, phone) => {
				const row = (await dataTables.rows(table))[index];
				await dataTables.update(table, row?.id, { phone });
			},
			read: async () =>
				(await dataTables.rows(table)).map((row) => resultIn(new Map(Object.entries(row)))),
		};
	}

	async function withDataTable(
		table: string,
		fields: readonly string[],
		rows: ReadonlyArray<Record<string, unknown>>,
	): Promise<WorkflowFile> {
		const columns = fields.map(
			(name) => ({ name, type: name === 'valid' ? 'boolean' : 'string' }) as const,
		);
		const tableId = await n8n.client.dataTables.create(table, columns, rows);
		// n8n 1.x finds no table by its name: there it has to be chosen.
		const value =
			n8n.line === '1.x' ? { mode: 'id', value: tableId } : { mode: 'name', value: table };
		return ['Find Rows', 'Write Results'].reduce(
			(workflow, node) => withParameters(workflow, node, { dataTableId: { __rl: true, ...value } }),
			recipe('results-to-data-table'),
		);
	}

	/** What a run of the workflow sends to the service. */
	async function sentBy(id: string): Promise<string[]> {
		const before = n8n.emulator.ledger.checks.length;
		await run(id);
		return n8n.emulator.ledger.checks.slice(before).map(({ source }) => source);
	}

	/** How many rows a run hands to Check Number, be they paid for or not. */
	async function itemsLookedAt(id: string): Promise<number> {
		const execution = await run(id);
		return execution.nodes['Check Number'] ? itemsOf(execution, 'Check Number').length : 0;
	}

	/** What Record gets, once somebody has activated it. */
	function listRun(execution: Execution): unknown {
		const [event, ...others] = itemsOf(execution, 'List Run');
		expect(others).toEqual([]);
		return event;
	}

	/** With the address that a user pastes in place of the one in the recipe. */
	function withAddress(name: string, address: string): WorkflowFile {
		const text = JSON.stringify(recipe(name));
		return JSON.parse(text.replace(/https:[^"]*YOUR[^"]*/, address)) as WorkflowFile;
	}

	function recipe(name: string): WorkflowFile {
		const file = recipes.get(name);
		if (!file) throw new Error(`There is no recipe ${name}`);
		return file;
	}

	async function run(id: string): Promise<Execution> {
		const execution = await n8n.client.run(id);
		expect(execution.error).toBeUndefined();
		return execution;
	}
});
