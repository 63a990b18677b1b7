import { type Credential, type Execution, waitUntil, type WorkflowFile } from '../../harness';
import { chain, manualTrigger, nodeOf } from '../../harness/rest/workflowFile';
import { AmoCrm } from '../../harness/standIns/amocrm';
import { Bitrix24 } from '../../harness/standIns/bitrix24';
import { Tilda } from '../../harness/standIns/tilda';
import { FOR_DATA_TABLES, setUpRecipe } from '../../harness/workflows/examples';
import { amoToken, LIMIT, paidIn } from './crmRuns';
import { printCounts } from './crmSize';
import { describeLongInOwnN8n } from './inN8n';
import { killWhen } from './killWhen';

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
const TABLE = 'tilda_leads';
const TIME = /^20\d\d-\d\d-\d\dT/;
const LEADS_AT_ONCE = 12;
/** For n8n's answer to a post. The tests compare what was answered, so none may be given up that n8n works on. */
const PATIENCE = 60_000;

// It starts n8n anew, and waits for leads that are tried again.
jest.setTimeout(2 * LIMIT);

type Crm = keyof typeof PHONES;
type Ended = Pick<Execution, 'id' | 'status'>;

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

describeLongInOwnN8n('Tilda', withTables, (n8n) => {
	const amo = new AmoCrm(Object.values(AMO_FIELDS).map(Number));
	let bitrix: Bitrix24;
	let token: Credential;

	beforeAll(async () => {
		await amo.start();
		bitrix = await Bitrix24.start();
		token = await amoToken(n8n, amo);
	});

	afterAll(async () => {
		await amo.close();
		bitrix.close();
	});

	describe.each(['Bitrix24', 'amoCRM'] as const)('writes leads to %s', (crm: Crm) => {
		let id: string;
		let tilda: Tilda;
		const phone = PHONES[crm];
		const form = (tranid: number, Name: string, Phone: string) => ({
			Name,
			Phone,
			tranid: `${crm}:${tranid}`,
		});
		/** The posts of earlier tests, whose executions are deleted. */
		let earlier = 0;

		beforeAll(async () => {
			const settings = {
				Bitrix24: { address: bitrix.address, ...BITRIX_FIELDS },
				amoCRM: { address: amo.url, ...AMO_FIELDS },
			};
			const file = await setUpRecipe('tilda-lead', n8n, {
				settings: settings[crm],
				credentials: { httpHeaderAuth: token },
				secret: crm,
				// Longer than the second that amoCRM counts: refused requests count, too.
				waitBetweenTries: 2_000,
			});
			id = (await n8n.client.workflows.create(withOnly(crm, file))).id;
			await n8n.client.workflows.publish(id);
			tilda = new Tilda(`${n8n.url}/webhook/tilda-lead-${crm}`, PATIENCE);
		});

		afterEach(async () => {
			const { executions } = n8n.client;
			// The list has 100 at most.
			for (let all = await executions.list(id); all.length > 0; all = await executions.list(id)) {
				for (const each of all) await executions.delete(each.id);
			}
			earlier = tilda.posts.length;
		});

		test('answers the test of a new connection, and writes nothing', async () => {
			expect(await tilda.connect()).toBe(true);
			expect(await ended()).toEqual([]);
			expect(contacts()).toEqual([]);
		});

		test('once, however often and at whatever time Tilda posts them', async () => {
			const lead = { ...form(100, 'Ann', phone), formid: 'form1' };
			const paid = await paidIn(n8n, async () => {
				await tilda.send(lead);
				await ended();
				// A minute later, as if the answer had been lost, and then two at the same instant.
				await tilda.send(lead);
				await Promise.all([tilda.send(lead), tilda.send(lead)]);
				expect(await ended()).toEqual([]);
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
			const paid = await paidIn(n8n, async () => {
				for (let index = 1; index <= 5; index++) {
					const lead = form(200 + index, 'Ben', `+7 900 000-01-0${index}`);
					await Promise.all([tilda.send(lead), tilda.send(lead)]);
				}
				expect(await ended()).toEqual([]);
			});
			expect(paid).toHaveLength(5);
			expect(contacts()).toHaveLength(before + 5);
		});

		test('if the number cannot be read or checked, too', async () => {
			const fault = n8n.emulator.faults.add({ kind: 'errorCode', code: 401 });
			await tilda.send(form(301, 'Cara', '+7 900 000-00-03'));
			await ended();
			n8n.emulator.faults.remove(fault);
			await tilda.send(form(302, 'Dev', 'ask me'));
			await ended();
			await tilda.send({ Name: 'Eve', tranid: `${crm}:303` });
			expect(await ended()).toEqual([]);
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
			const before = contacts();
			await n8n.client.run(await verifying(id, phone));
			expect(contacts()).toEqual(
				before.map((contact) =>
					contact.name === 'Ann'
						? { ...contact, verified: expect.stringMatching(TIME) as unknown }
						: contact,
				),
			);
		});

		test('after it has answered Tilda, and once more if the CRM refuses it', async () => {
			const before = contacts().length;
			const release = standIn().gate.hold();
			await tilda.send(form(401, 'Finn', '+7 900 000-00-05'));
			expect(tilda.posts.slice(earlier).map(({ status }) => status)).toContain(200);
			expect(contacts()).toHaveLength(before);
			let writes = 0;
			standIn().refusesWrite = () => writes++ === 0;
			release();
			expect(await ended()).toEqual([]);
			expect(contacts()).toHaveLength(before + 1);
			expect(writes).toBe(2);
		});

		test('when the failed execution is retried, if the CRM has refused it five times, and pays once', async () => {
			const before = contacts().length;
			let writes = 0;
			standIn().refusesWrite = () => ++writes <= 5;
			const paid = await paidIn(n8n, async () => {
				await tilda.send(form(402, 'Gil', '+7 900 000-00-06'));
				await retried(await ended());
			});
			expect(paid).toEqual(['+7 900 000-00-06']);
			expect(writes).toBe(6);
			expect(contacts()).toHaveLength(before + 1);
		});

		test('not at all, if n8n is killed in between, until its rows are deleted and its execution is retried', async () => {
			const before = contacts();
			const lead = form(501, 'Hal', '+7 900 000-00-07');
			const release = standIn().gate.hold();
			const paid = await paidIn(n8n, async () => {
				await tilda.send(lead);
				const isWriting = () => standIn().gate.waiting > 0;
				await killWhen(n8n, isWriting, 'the lead is on its way to the CRM');
				release();
				await waitUntil(async () => (await tilda.connect()) || undefined, {
					what: 'n8n listens to Tilda again',
					limit: LIMIT,
				});
				await tilda.send(lead);
				await ended();
			});
			expect(paid).toEqual([lead.Phone]);
			expect(contacts()).toEqual(before);
			const { dataTables, executions } = n8n.client;
			const rows = (await dataTables.rows(TABLE)).filter(({ tranid }) => tranid === lead.tranid);
			expect(rows.length).toBeGreaterThan(1);
			expect(rows.filter(({ contact }) => contact)).toEqual([]);
			const [crashed, ...others] = (await executions.list(id)).filter(
				({ status }) => status === 'crashed',
			);
			expect(others).toEqual([]);

			// Once its tranid is gone from the table, n8n's Retry writes it, and pays once more.
			for (const row of rows) await dataTables.update(TABLE, row.id, { tranid: 'deleted' });
			const again = await paidIn(n8n, async () => {
				const retry = await executions.wait(await executions.retry(crashed?.id ?? ''));
				expect(retry.status).toBe('success');
			});
			expect(again).toEqual([lead.Phone]);
			expect(contacts().slice(before.length)).toMatchObject([{ name: lead.Name }]);
		});

		test(`once, if ${LEADS_AT_ONCE} come at once and every third write is refused; the same forms again pay and write nothing`, async () => {
			const before = contacts().length;
			const forms = Array.from({ length: LEADS_AT_ONCE }, (_none, index) =>
				form(600 + index, `Person ${index}`, `+7 900 000-02-${index + 10}`),
			);
			// Nobody says how often their limits may be exceeded.
			amo.patience = Infinity;
			let writes = 0;
			let refusals = 0;
			standIn().refusesWrite = () => {
				const isThird = ++writes % 3 === 0;
				if (isThird) refusals += 1;
				return isThird;
			};
			let failed = 0;
			const paid = await paidIn(n8n, async () => {
				await Promise.all(forms.map(async (each) => await tilda.send(each)));
				const left = await ended();
				failed = left.length;
				standIn().refusesWrite = () => false;
				await retried(left);
			});
			expect(refusals).toBeGreaterThan(1);
			expect(paid.sort()).toEqual(forms.map(({ Phone }) => Phone));
			const added = contacts().slice(before);
			expect(added.map(({ name }) => name).sort()).toEqual(forms.map(({ Name }) => Name).sort());
			expect(added.filter(({ checked }) => checked === '')).toEqual([]);

			const again = await paidIn(n8n, async () => {
				await Promise.all(forms.map(async (each) => await tilda.send(each)));
				await ended();
			});
			expect(again).toEqual([]);
			expect(contacts()).toHaveLength(before + LEADS_AT_ONCE);
			printCounts(n8n.version, {
				[`leads for ${crm}`]: LEADS_AT_ONCE,
				'numbers paid': paid.length,
				'writes refused': refusals,
				'executions retried by hand': failed,
			});
		});

		const standIn = () => (crm === 'amoCRM' ? amo : bitrix);

		/** Waits for the executions of all posts that n8n has answered, and returns those that have not succeeded. */
		async function ended(): Promise<Ended[]> {
			const answered = tilda.posts.slice(earlier).filter(({ status }) => status === 200).length;
			const all = await waitUntil(
				async () => {
					const found = await n8n.client.executions.list(id);
					const isOver = found.every(({ status }) => !['new', 'running'].includes(status));
					return isOver && found.length >= answered ? found : undefined;
				},
				{ what: `${answered} executions have ended`, limit: LIMIT },
			);
			return all.filter(({ status }) => status !== 'success');
		}

		/** As the note says: someone retries these executions, from the node that has failed. */
		async function retried(failed: readonly Ended[]): Promise<void> {
			const { executions } = n8n.client;
			for (const each of failed) {
				expect(each.status).toBe('error');
				const retry = await executions.wait(await executions.retry(each.id));
				expect(retry.status).toBe('success');
			}
		}

		function contacts(): Written[] {
			return crm === 'amoCRM' ? ofAmo() : ofBitrix();
		}
	});

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
		return [...bitrix.contacts.values()].map(({ fm, fields }) => ({
			name: fields.name,
			phones: fm.map(({ value }) => value),
			checked: fields.ufCrm_CHECKED,
			valid: fields.ufCrm_VALID,
			result: fields.ufCrm_RESULT,
			verified: fields.ufCrm_VERIFIED ?? '',
		}));
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

/** As the second step of the first note says: one of the CRMs is active. */
function withOnly(crm: Crm, file: WorkflowFile): WorkflowFile {
	const nodes = file.nodes.map((node) => {
		const [name] = /(Bitrix24|amoCRM)$/.exec(node.name) ?? [];
		return name === undefined ? node : { ...node, disabled: name !== crm };
	});
	return { ...file, nodes };
}
