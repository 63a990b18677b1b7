import { z } from 'zod';
import type { Credential, WorkflowFile } from '../../harness';
import { chain, manualTrigger, nodeOf } from '../../harness/sampleWorkflow';
import { AmoCrm } from '../../harness/standIns/amocrm';
import { Tilda } from '../../harness/standIns/tilda';
import { FOR_DATA_TABLES, setUpRecipe, untilSucceeded } from '../../harness/workflows/setUpRecipe';
import { startOtherServer } from '../../harness/workflows/otherServers';
import { describeInOwnN8n } from './inN8n';

const AMO_FIELDS = {
	checkedField: '901',
	validField: '902',
	resultField: '903',
	verifiedField: '904',
};
const BITRIX_FIELDS = {
	checkedField: 'ufCrm_CHECKED',
	validField: 'ufCrm_VALID',
	resultField: 'ufCrm_RESULT',
	verifiedField: 'ufCrm_VERIFIED',
};
/** Two CRMs share the data table here, so a verified number belongs to a lead of one of them. */
const PHONES = { Bitrix24: '+7 (900) 000-00-01', amoCRM: '+7 (900) 000-00-02' };
const TIME = /^20\d\d-\d\d-\d\dT/;

type Crm = keyof typeof PHONES;

const bitrixContact = z
	.object({
		name: z.string(),
		fm: z.array(
			z.object({ typeId: z.literal('PHONE'), valueType: z.literal('WORK'), value: z.string() }),
		),
	})
	.passthrough();
const addition = z.object({ entityTypeId: z.literal(3), fields: bitrixContact });
/** Without `fm`: writing it adds the phone a second time. */
const change = z.object({
	entityTypeId: z.literal(3),
	id: z.number(),
	fields: z.record(z.string()).refine((fields) => !('fm' in fields)),
});
type BitrixContact = z.infer<typeof bitrixContact>;

interface Portal {
	readonly contacts: readonly BitrixContact[];
	readonly address: string;
	close(): void;
}

/** A contact as both CRMs have it. */
interface Written {
	readonly name: unknown;
	readonly phones: string[];
	readonly checked: unknown;
	readonly valid: unknown;
	readonly result: unknown;
	readonly verified: unknown;
}

const withTables = () => ({ settings: FOR_DATA_TABLES });

describeInOwnN8n('Tilda', withTables, (n8n) => {
	const amo = new AmoCrm(Object.values(AMO_FIELDS).map(Number));
	let bitrix: Portal;
	let token: Credential;

	beforeAll(async () => {
		await amo.start();
		bitrix = await startPortal();
		token = await n8n.client.credentials.create('amoCRM', 'httpHeaderAuth', {
			name: 'Authorization',
			value: `Bearer ${amo.token}`,
		});
	});

	afterAll(async () => {
		await amo.close();
		bitrix.close();
	});

	describe.each(['Bitrix24', 'amoCRM'] as const)('writes leads to %s', (crm: Crm) => {
		let id: string;
		let tilda: Tilda;
		const phone = PHONES[crm];
		/** Other executions of the workflow than those that Tilda has started. */
		let others = 0;

		beforeAll(async () => {
			const settings = {
				Bitrix24: { address: bitrix.address, ...BITRIX_FIELDS },
				amoCRM: { address: amo.url, ...AMO_FIELDS },
			};
			const file = await recipe('tilda-lead', crm, settings[crm]);
			id = (await n8n.client.workflows.create(withOnly(crm, file))).id;
			await n8n.client.workflows.publish(id);
			tilda = new Tilda(`${n8n.url}/webhook/tilda-lead-${crm}`);
		});

		test('answers the test of a new connection, and writes nothing', async () => {
			expect(await tilda.connect()).toBe(true);
			await ended();
			expect(contacts()).toEqual([]);
		});

		test('once, however often and at whatever time Tilda posts them', async () => {
			const form = { Name: 'Ann', Phone: phone, tranid: `${crm}:100`, formid: 'form1' };
			const paid = await paidIn(async () => {
				await tilda.send(form);
				await ended();
				// A minute later, as if the answer had been lost, and then two at the same instant.
				await tilda.send(form);
				await Promise.all([tilda.send(form), tilda.send(form)]);
				await ended();
			});
			expect(paid).toEqual([phone]);
			expect(contacts()).toEqual([
				{
					name: 'Ann',
					phones: [phone],
					checked: phone,
					valid: crm === 'amoCRM' ? 'yes' : 'Y',
					result: `${phone}: North Line, Russia`,
					verified: '',
				},
			]);
		});

		test('once, if its first posts come at the same instant', async () => {
			const before = contacts().length;
			const paid = await paidIn(async () => {
				for (let lead = 1; lead <= 5; lead++) {
					const form = {
						Name: 'Ben',
						Phone: `+7 900 000-01-0${lead}`,
						tranid: `${crm}:20${lead}`,
					};
					await Promise.all([tilda.send(form), tilda.send(form)]);
				}
				await ended();
			});
			expect(paid).toHaveLength(5);
			expect(contacts()).toHaveLength(before + 5);
		});

		test('if the number cannot be read or checked, too', async () => {
			const fault = n8n.emulator.faults.add({ kind: 'errorCode', code: 401 });
			await tilda.send({ Name: 'Cara', Phone: '+7 900 000-00-03', tranid: `${crm}:301` });
			await ended();
			n8n.emulator.faults.remove(fault);
			await tilda.send({ Name: 'Dev', Phone: 'ask me', tranid: `${crm}:302` });
			await tilda.send({ Name: 'Eve', tranid: `${crm}:303` });
			await ended();
			const no = crm === 'amoCRM' ? 'no' : 'N';
			const left = { valid: no, verified: '' };
			expect(contacts().slice(-3)).toEqual([
				{
					...left,
					name: 'Cara',
					phones: ['+7 900 000-00-03'],
					checked: '',
					result: expect.stringMatching(/^\+7 900 000-00-03: not checked: ./),
				},
				{
					...left,
					name: 'Dev',
					phones: ['ask me'],
					checked: 'ask me',
					result: 'ask me: unreadable: no number',
				},
				{ ...left, name: 'Eve', phones: [], checked: '', result: ': empty' },
			]);
		});

		test('and notes the time when the person has verified the number', async () => {
			await n8n.client.executions.wait(await n8n.client.workflows.run(await verifying(id, phone)));
			others += 1;
			expect(contacts().map(({ name, verified }) => [name, verified])).toEqual(
				contacts().map(({ name }) => [
					name,
					name === 'Ann' ? (expect.stringMatching(TIME) as unknown) : '',
				]),
			);
		});

		if (crm === 'amoCRM') {
			test('after it has answered Tilda, and once more if the CRM refuses it', async () => {
				const before = contacts().length;
				const sent = tilda.posts.length;
				const release = amo.hold();
				await tilda.send({ Name: 'Finn', Phone: '+7 900 000-00-05', tranid: `${crm}:401` });
				expect(tilda.posts.slice(sent).map(({ status }) => status)).toContain(200);
				expect(contacts()).toHaveLength(before);
				let refusals = 0;
				amo.refusesWrite = () => refusals++ === 0;
				release();
				await ended();
				expect(contacts()).toHaveLength(before + 1);
				expect(refusals).toBe(2);
			});
		}

		/** Waits for the executions of all posts that were made so far. */
		async function ended(): Promise<void> {
			await untilSucceeded(n8n.client, id, tilda.posts.length + others);
		}

		function contacts(): Written[] {
			return crm === 'amoCRM' ? ofAmo() : ofBitrix();
		}
	});

	/** As its first note says. */
	async function recipe(
		name: string,
		crm: Crm,
		settings: Readonly<Record<string, string>>,
	): Promise<WorkflowFile> {
		const credentials = { httpHeaderAuth: token };
		return await setUpRecipe(name, n8n, { settings, credentials, secret: crm });
	}

	function ofAmo(): Written[] {
		return [...amo.contacts.values()].map((contact) => ({
			name: contact.name,
			phones: amo.phonesOf(contact),
			checked: amo.valueOf(contact, Number(AMO_FIELDS.checkedField)),
			valid: amo.valueOf(contact, Number(AMO_FIELDS.validField)),
			result: amo.valueOf(contact, Number(AMO_FIELDS.resultField)),
			verified: amo.valueOf(contact, Number(AMO_FIELDS.verifiedField)),
		}));
	}

	function ofBitrix(): Written[] {
		return bitrix.contacts.map(({ name, fm, ...own }) => ({
			name,
			phones: fm.map(({ value }) => value),
			checked: own.ufCrm_CHECKED,
			valid: own.ufCrm_VALID,
			result: own.ufCrm_RESULT,
			verified: own.ufCrm_VERIFIED ?? '',
		}));
	}

	async function paidIn(work: () => Promise<void>): Promise<string[]> {
		const before = n8n.emulator.ledger.checks.length;
		await work();
		return n8n.emulator.ledger.checks.slice(before).map(({ source }) => source);
	}

	/** A workflow that ends as verify-by-inbound-call does for Ann, and goes on as its note says. */
	async function verifying(leads: string, phone: string): Promise<string> {
		const verified = {
			verified_phone: phone.replace(/\D/g, ''),
			delivery: 'inbound',
			vendor_id: 7,
		};
		const file = chain(
			'Verification',
			manualTrigger,
			nodeOf('Verified', 'n8n-nodes-base.set', 3.4, {
				mode: 'raw',
				jsonOutput: JSON.stringify(verified),
			}),
			nodeOf('Execute Sub-workflow', 'n8n-nodes-base.executeWorkflow', 1.2, {
				workflowId: { __rl: true, mode: 'id', value: leads },
			}),
		);
		return (await n8n.client.workflows.create(file)).id;
	}
});

/** The contacts of a Bitrix24 portal, which are only added and changed here. */
async function startPortal(): Promise<Portal> {
	const contacts: BitrixContact[] = [];
	const server = await startOtherServer(({ url }, response) => {
		const sent = server.received.at(-1)?.split('\n').at(-1) ?? '';
		const method = url?.split('/').at(-1);
		if (method === 'crm.item.add') contacts.push(addition.parse(JSON.parse(sent)).fields);
		const id = method === 'crm.item.add' ? contacts.length : change.parse(JSON.parse(sent)).id;
		const contact = contacts[id - 1];
		if (method === 'crm.item.update' && contact) {
			Object.assign(contact, change.parse(JSON.parse(sent)).fields);
		}
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ result: { item: { id, ...contact } } }));
	});
	return { contacts, address: `${server.url}/rest/1/SECRET/`, close: () => server.close() };
}

/** As the second step of the first note says: one of the CRMs is active. */
function withOnly(crm: Crm, file: WorkflowFile): WorkflowFile {
	const nodes = file.nodes.map((node) => {
		const [name] = /(Bitrix24|amoCRM)$/.exec(node.name) ?? [];
		return name === undefined ? node : { ...node, disabled: name !== crm };
	});
	return { ...file, nodes };
}
