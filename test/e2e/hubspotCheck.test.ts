import type { IDataObject } from 'n8n-workflow';
import { type Execution, itemsOf } from '../../harness';
import { Hubspot } from '../../harness/standIns/hubspot';
import { FOR_DATA_TABLES, setUpRecipe } from '../../harness/workflows/examples';
import { CloudStandIn } from './cloudStandIn';
import { LIMIT, runByHand, startByHand } from './crmRuns';
import { CRM_SIZE, printCounts } from './crmSize';
import { describeLongInOwnN8n } from './inN8n';
import { killWhen } from './killWhen';

/** As many as are checked before the results are kept. */
const AT_ONCE = 50;
const VALID = 'North Line, Russia';
const INVALID = 'The phone is in no numbering registry';

// It starts n8n anew, and waits for several runs.
jest.setTimeout(2 * LIMIT);

let cloud: CloudStandIn;

async function inCloud() {
	cloud = new CloudStandIn();
	const standIn = await cloud.start();
	const settings = { ...standIn.settings, ...FOR_DATA_TABLES };
	const close = async () => await standIn.close();
	return { settings, close, service: { latencyMs: 20, startingBalance: 1e6 } };
}

describeLongInOwnN8n('hubspot-check-contacts', inCloud, (n8n) => {
	let workflowId: string;
	let paid = 0;

	beforeAll(async () => {
		const { credentials, workflows } = n8n.client;
		const own = await credentials.create('HubSpot', 'hubspotAppToken', { ...Hubspot.credential });
		const file = await setUpRecipe('hubspot-check-contacts', n8n, {
			credentials: { hubspotAppToken: own },
		});
		workflowId = (await workflows.create(file)).id;
	});

	beforeEach(() => {
		cloud.hubspot.all.clear();
		cloud.hubspot.writes.length = 0;
		cloud.hubspot.pages = 0;
		paid = n8n.emulator.ledger.checks.length;
	});

	test('every phone of every contact is checked once, and the next run pays and writes nothing', async () => {
		add({ email: 'ann@example.com', phone: '+7 (900) 000-00-01', mobilephone: '+7 000 000-00-01' });
		add({ email: 'ben@example.com', phone: 'ask Ann' });
		add({ email: 'cara@example.com', mobilephone: '79000000001', note: 'vip' });
		add({ email: 'dora@example.com' });
		add({ phone: '+7 900 000-00-02' });
		add({ email: 'gi?na#+%@example.com', phone: '+7 900 000-00-03' });

		expect(await report()).toEqual({
			contacts: 6,
			new_or_changed: 4,
			written: 4,
			not_written: 0,
			numbers: 4,
			numbers_checked: 3,
			numbers_left: 0,
			without_email: 1,
		});
		expect(paidSince()).toBe(3);
		expect([...cloud.hubspot.all.values()]).toEqual([
			{
				email: 'ann@example.com',
				phone: '+7 (900) 000-00-01',
				mobilephone: '+7 000 000-00-01',
				phones_checked: '+7 (900) 000-00-01; +7 000 000-00-01',
				phone_valid: 'true',
				phone_result: `+7 (900) 000-00-01: ${VALID}; +7 000 000-00-01: ${INVALID}`,
			},
			{
				email: 'ben@example.com',
				phone: 'ask Ann',
				phones_checked: 'ask Ann',
				phone_valid: 'false',
				phone_result: 'ask Ann: unreadable: no number',
			},
			{
				email: 'cara@example.com',
				mobilephone: '79000000001',
				note: 'vip',
				phones_checked: '79000000001',
				phone_valid: 'true',
				phone_result: `79000000001: ${VALID}`,
			},
			{ email: 'dora@example.com' },
			{ phone: '+7 900 000-00-02' },
			expect.objectContaining({ email: 'gi?na#+%@example.com', phone_valid: 'true' }),
		]);

		await report();
		expect([paidSince(), cloud.hubspot.writes.length]).toEqual([3, 4]);

		change('ann@example.com', { phone: '', mobilephone: '' });
		change('ben@example.com', { phone: '+7 900 000-00-04' });
		change('dora@example.com', { phone: '+7 900 000 00 03' });
		expect(await report()).toMatchObject({ new_or_changed: 3, written: 3 });
		expect(paidSince()).toBe(4);
		expect(cloud.hubspot.withEmail('ann@example.com')).toMatchObject({
			phones_checked: '',
			phone_valid: 'false',
			phone_result: '',
		});
		expect(cloud.hubspot.withEmail('ben@example.com')).toMatchObject({ phone_valid: 'true' });
		expect(cloud.hubspot.withEmail('dora@example.com')).toMatchObject({ phone_valid: 'true' });
	});

	test('without a contact, nothing is paid and written', async () => {
		expect(await report()).toMatchObject({ contacts: 0, written: 0, without_email: 0 });
		expect([paidSince(), cloud.hubspot.writes.length]).toEqual([0, 0]);
	});

	test('what HubSpot refuses is written by the next run, which pays for nothing', async () => {
		addMany(30, 79_161_000_000);
		cloud.hubspot.refusesEveryThird = true;
		const refused = await runByHand(n8n, workflowId);
		cloud.hubspot.refusesEveryThird = false;
		expect(refused.error?.message).toContain(
			'10 of 30 contacts were not written. Of contact 3, the CRM says: ',
		);
		expect(paidSince()).toBe(30);
		expect(withResult()).toHaveLength(20);
		expect(listRun(refused)).toMatchObject({ rows: 30, paid: 30, cost: 1.5 });

		expect(await report()).toMatchObject({ new_or_changed: 10, written: 10, numbers_checked: 0 });
		expect(withResult()).toHaveLength(30);
		expect([paidSince(), cloud.hubspot.writes.length]).toEqual([30, 40]);
	});

	test('when the service refuses the key, only fifty are sent, and the next run checks all', async () => {
		addMany(AT_ONCE + 10, 79_164_000_000);
		const fault = n8n.emulator.faults.add({ kind: 'errorCode', code: 401 });
		const refused = await runByHand(n8n, workflowId);
		n8n.emulator.faults.remove(fault);
		expect(refused.error?.message).toContain('60 of 60 numbers could not be checked.');
		expect(refused.nodes['Check Number']).toHaveLength(1);
		expect(listRun(refused)).toMatchObject({ rows: 60, valid: 0, invalid: 0, paid: 0, cost: 0 });

		expect(await report()).toMatchObject({ written: 60 });
		expect(paidSince()).toBe(60);
	});

	test('if n8n is killed, the next run pays for at most 50 numbers again, and writes everything', async () => {
		const contacts = 2 * AT_ONCE + 20;
		addMany(contacts, 79_162_000_000);
		await startByHand(n8n, workflowId);
		await killWhen(n8n, () => paidSince() > AT_ONCE, 'the second fifty are being checked');
		expect(paidSince()).toBeLessThan(contacts);
		expect(cloud.hubspot.writes).toEqual([]);

		await startByHand(n8n, workflowId);
		await killWhen(n8n, () => cloud.hubspot.writes.length >= 20, 'twenty contacts are written');
		const written = cloud.hubspot.writes.length;
		expect(written).toBeLessThan(contacts);
		const twice = paidSince() - contacts;
		expect(twice).toBeLessThanOrEqual(AT_ONCE);

		const left = contacts - written;
		expect(await report()).toMatchObject({ new_or_changed: left, written: left });
		expect(withResult()).toHaveLength(contacts);
		expect(paidSince()).toBe(contacts + twice);
		printCounts(n8n.version, {
			'contacts of HubSpot': contacts,
			'contacts written at the second kill': written,
			'numbers paid twice': twice,
		});
	});

	test(`${CRM_SIZE} contacts: everything is written, and nothing is paid for twice`, async () => {
		const size = CRM_SIZE;
		const [withEmail, different] = [0.8 * size, 0.6 * size];
		for (let index = 0; index < size; index++) addOneOfMany(index);
		const first = await runByHand(n8n, workflowId);
		expect(reportOf(first)).toMatchObject({
			contacts: size,
			new_or_changed: withEmail,
			written: withEmail,
			numbers: different + 1,
			numbers_left: 0,
			without_email: size / 10,
		});
		expect(paidSince()).toBe(different);
		expect(withResult()).toHaveLength(withEmail);
		expect(new Set(cloud.hubspot.writes).size).toBe(withEmail);
		expect(listRun(first)).toEqual({
			event: 'list',
			run: expect.any(String),
			example: 'Check the contacts of HubSpot',
			name: 'contacts',
			rows: different + 1,
			valid: different,
			invalid: 0,
			unreadable: 1,
			paid: different,
			cost: different / 20,
			seconds: expect.any(Number),
		});

		const pages = cloud.hubspot.pages;
		const second = await runByHand(n8n, workflowId);
		expect(reportOf(second)).toMatchObject({ contacts: size, new_or_changed: 0, written: 0 });
		expect(second.nodes).not.toHaveProperty('List Run');
		expect(cloud.hubspot.pages).toBe(pages + Math.ceil(size / 100));
		expect([paidSince(), cloud.hubspot.writes.length]).toEqual([different, withEmail]);
		printCounts(n8n.version, {
			'contacts of HubSpot': size,
			'pages read': cloud.hubspot.pages,
			'numbers paid': paidSince(),
			'contacts written': cloud.hubspot.writes.length,
		});
	});

	const add = (properties: Readonly<Record<string, string>>) => cloud.hubspot.add(properties);
	const paidSince = () => n8n.emulator.ledger.checks.length - paid;
	const withResult = () => [...cloud.hubspot.all.values()].filter(({ phone_result: text }) => text);

	function addMany(count: number, firstPhone: number): void {
		for (let index = 0; index < count; index++) {
			add({ email: `${firstPhone + index}@example.com`, phone: `+${firstPhone + index}` });
		}
	}

	/** Of ten, one has no phone, one no e-mail address, one an unreadable phone, and one that of the one before. */
	function addOneOfMany(index: number): void {
		const email = `person${index}@example.com`;
		const phone = `+${79_163_000_000 + index}`;
		const kinds: ReadonlyArray<Record<string, string>> = [
			{ email },
			{ phone },
			{ email, phone: 'none' },
			{ email, phone },
			{ email, phone: `+7 (916) ${phone.slice(5, 8)}-${phone.slice(8)}`.replace(/\d$/, '3') },
		];
		add(kinds[index % 10] ?? { email, phone });
	}

	/** Somebody types into the properties of the contact. */
	function change(email: string, properties: Readonly<Record<string, string>>): void {
		Object.assign(cloud.hubspot.withEmail(email) ?? {}, properties);
	}

	async function report(): Promise<IDataObject | undefined> {
		return reportOf(await runByHand(n8n, workflowId));
	}

	function reportOf(execution: Execution): IDataObject | undefined {
		expect(execution.error).toBeUndefined();
		return itemsOf(execution, 'Report')[0];
	}

	/** What Record gets, once somebody has activated it. */
	function listRun(execution: Execution): IDataObject | undefined {
		const [event, ...others] = itemsOf(execution, 'List Run');
		expect(others).toEqual([]);
		return event;
	}
});
