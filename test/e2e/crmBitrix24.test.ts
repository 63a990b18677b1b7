import { join } from 'node:path';
import { webhookPayload } from '../../emulator/webhookPayload';
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
import { Bitrix24 } from '../../harness/standIns/bitrix24';
import { CREDENTIAL_TYPE } from '../../harness/workflows/emulatedService';
import { withPhoneChecks } from '../../harness/workflows/phoneChecks';
import {
	withChosenCredentials,
	withOwnAddresses,
	withSettings,
} from '../../harness/workflows/publishedExample';
import { sameNumberKey } from '../../nodes/CallVerification/phones/phone';
import { describeInOwnN8n } from './inN8n';
import { withTranslatedLabels } from './translated';

const RECIPES = join(__dirname, '../../examples/recipes');
const TRIGGER = 'When clicking ‘Execute workflow’';
const LIMIT = 400_000;
/** n8n 1.x gets fewer: the workflow is the same, and each 50 contacts take more than a second. */
const SIZES = { '2.x': 1_000, '1.x': 230 };
/** How many numbers are checked and kept together. */
const CHUNK = 50;
/** Of the burst of 50. As many requests as 1,000 contacts need do not fit into the rest, unless they take their time. */
const TAKEN_BY_OTHERS = 38;
const TEAM = { user: 'team', password: 'long and random' };
const UNREADABLE = 'ask his wife';

// A run takes seconds, and minutes on a busy machine.
jest.setTimeout(LIMIT);

let portal: Bitrix24;

async function withPortal() {
	portal = await Bitrix24.start();
	portal.takenByOthers = TAKEN_BY_OTHERS;
	return { service: { latencyMs: 5, startingBalance: 1e6 }, close: async () => portal.close() };
}

describeInOwnN8n('Bitrix24', withPortal, (n8n) => {
	const size = SIZES[n8n.line];
	let files: Map<string, WorkflowFile>;
	let id: string;

	beforeAll(async () => {
		files = await readWorkflowFiles(RECIPES);
		const chosen = withChosenCredentials(recipe('bitrix24-check-contacts'), {
			[CREDENTIAL_TYPE]: n8n.credential,
		});
		const configured = withSettings(chosen, { address: portal.address, maxNumbers: 5_000 });
		({ id } = await n8n.client.workflows.create(await withPhoneChecks(configured, n8n)));
	});

	describe(`${size} contacts`, () => {
		let phones: ReadonlyMap<number, readonly string[]>;
		let numbers: ReadonlySet<string>;

		beforeAll(() => {
			phones = phonesOf(size);
			for (const [contact, its] of phones) {
				portal.enter(contact, its, { name: `Person ${contact}` });
			}
			numbers = keysOf([...phones.values()].flat());
		});

		test('n8n is killed while they are checked, and a third of the writes is refused: every result is kept', async () => {
			const { ledger } = n8n.emulator;
			await n8n.client.workflows.run(id, TRIGGER);
			await waitUntil(async () => ledger.checks.length >= 0.4 * numbers.size || undefined, {
				what: 'two fifths of the checks are paid for',
				limit: LIMIT,
				longestPause: 20,
			});
			await n8n.running.kill();
			await waitUntil(async () => ledger.inFlight === 0 || undefined, {
				what: 'the service is idle',
				limit: 30_000,
			});
			const before = paid().length;
			expect(before).toBeLessThan(numbers.size);
			expect(portal.writes).toBe(0);

			await n8n.boot();
			portal.refusesEveryThird = true;
			const { error } = await run();
			const written = [...phones.values()].filter((its) => its.length > 0).length;
			expect(portal.writes).toBe(written);
			expect(error?.message).toContain(
				`${Math.floor(written / 3)} of ${written} contacts were not written. Of contact `,
			);
			expect(error?.message).toContain('the CRM says: Access denied. Run the workflow again');
			expect(new Set(paid())).toEqual(numbers);
			const twice = paid().length - numbers.size;
			console.log(
				`n8n ${n8n.version}: killed after ${before} of ${numbers.size}, ${twice} paid twice`,
			);
			expect(twice).toBeLessThanOrEqual(CHUNK);
		});

		test('the next run writes what was refused, and pays for nothing', async () => {
			const [checks, writes] = [paid().length, portal.writes];
			const refused = Math.floor(writes / 3);
			portal.refusesEveryThird = false;
			expect(await happened()).toMatchObject({
				contacts: size,
				new_or_changed: refused,
				written: refused,
				not_written: 0,
				numbers_checked: 0,
				numbers_left: 0,
			});
			expect([paid().length, portal.writes]).toEqual([checks, writes + refused]);
			for (const [contact, its] of phones) {
				const fm = [{ typeId: 'EMAIL' }, ...its.map((value) => ({ typeId: 'PHONE', value }))];
				expect(portal.contacts.get(contact)).toMatchObject({ fm });
				expect(fieldsOf(contact)).toEqual({
					name: `Person ${contact}`,
					...(its.length > 0 && resultOf(its)),
				});
			}
		});

		test('the run after that pays and writes nothing, and none was too fast', async () => {
			const before = [paid().length, portal.writes];
			expect(await happened()).toMatchObject({ contacts: size, new_or_changed: 0, written: 0 });
			expect([paid().length, portal.writes]).toEqual(before);
			console.log(
				`n8n ${n8n.version}: ${portal.requests.length} requests, ${portal.writes} writes, at most ${portal.worstRate} in a second, ${paid().length} paid`,
			);
			expect(portal.refusedByLimit).toBe(0);
		});
	});

	test('a contact is looked at again when its phones have changed, and emptied when they are gone', async () => {
		portal.contacts.clear();
		portal.enter(1, ['+7 900 111-00-01']);
		portal.enter(2, ['+7 900 111-00-02']);
		portal.enter(3, []);
		portal.enter(4, [UNREADABLE]);
		await happened();

		portal.enter(1, ['+7 900 111-00-01', '+7 900 111-00-11']);
		portal.enter(2, []);
		portal.enter(3, ['7 900 111 00 02']);
		expect(
			await paidIn(async () => expect(await happened()).toMatchObject({ written: 3 })),
		).toEqual(['79001110011']);
		expect(fieldsOf(1)).toEqual(resultOf(['+7 900 111-00-01', '+7 900 111-00-11']));
		expect(fieldsOf(2)).toEqual({ ufCrm_CHECKED: '', ufCrm_VALID: 'N', ufCrm_RESULT: '' });
		expect(fieldsOf(3)).toEqual(resultOf(['7 900 111 00 02']));
		expect(fieldsOf(4)).toEqual(resultOf([UNREADABLE]));
	});

	test('when the service refuses the key, only fifty are sent, and the next run checks all', async () => {
		portal.contacts.clear();
		const ids = Array.from({ length: 60 }, (_none, index) => index + 1);
		for (const contact of ids) portal.enter(contact, [`+7 900 222-00-${String(contact + 10)}`]);
		const fault = n8n.emulator.faults.add({ kind: 'errorCode', code: 401 });
		const execution = await run();
		n8n.emulator.faults.remove(fault);
		expect(execution.error?.message).toContain('60 of 60 numbers could not be checked.');
		expect(execution.nodes['Check Number']).toHaveLength(1);
		expect(await paidIn(async () => void (await happened()))).toHaveLength(60);
	});

	test('bitrix24-verified-call verifies contacts by their ID or phone, and tells all that have the number', async () => {
		portal.contacts.clear();
		portal.enter(43, ['+7 900 000-00-01']);
		portal.enter(275, ['8 (900) 333-00-02', '+7 900 333-00-03']);
		portal.enter(2297, ['+79003330003']);
		portal.enter(2298, []);
		const credential = await n8n.client.credentials.create('Team', 'httpBasicAuth', TEAM);
		const chosen = { [CREDENTIAL_TYPE]: n8n.credential, httpBasicAuth: credential };
		const configured = withSettings(
			withChosenCredentials(recipe('bitrix24-verified-call'), chosen),
			{ address: portal.address },
		);
		const options = {
			allowedPrefixes: '79',
			defaultCountryCode: '7',
			reference: '={{ $json.ids }}',
		};
		const file = withParameters(configured, 'Request a Call', { options });
		await n8n.client.workflows.publish((await n8n.client.workflows.create(file)).id);
		const headers = {
			authorization: `Basic ${Buffer.from(`${TEAM.user}:${TEAM.password}`).toString('base64')}`,
		};
		const pageFor = async (contact: string, phone: string) => {
			const visitor = await FormVisitor.startWith(headers, formUrl(n8n.url, file), contact, phone);
			return await visitor.nextPage();
		};

		await expect(FormVisitor.start(formUrl(n8n.url, file), '43', '')).rejects.toThrow(/with 401/);
		for (const [contact, phone, text] of [
			['7', '', 'There is no contact 7.'],
			['', '+7 900 333-00-09', 'No contact has this phone.'],
			['', '', 'Enter the ID of a contact, or a phone.'],
			['275', '', 'Contact 275 has 2 phones.'],
			['2298', '', 'Contact 2298 has no phone.'],
			['43', '+7 900 333-00-03', 'Contact 43 does not have this phone.'],
			['', 'my phone', 'No contact has this phone.'],
		] as const) {
			expect(await pageFor(contact, phone)).toMatchObject({
				title: 'No number to call',
				text: expect.stringContaining(text),
			});
		}
		expect(n8n.emulator.ledger.inboundWaits).toEqual([]);

		expect((await pageFor('43', '')).text).toContain('updates contact 43 within seconds');
		const forged = n8n.emulator.ledger.inboundWaits[0];
		if (!forged) throw new Error('Nobody was asked to call');
		const callback = forged.callbackUrl.replace('ref=43', 'ref=2298');
		expect(callback).not.toBe(forged.callbackUrl);
		const body = webhookPayload(forged);
		expect(await callWebhook(callback, { body })).toMatchObject({ status: 401 });
		expect(await n8n.emulator.callFrom('79000000001')).toMatchObject({ status: 200 });
		await verified(43);

		expect((await pageFor('', '8 900 333-00-03')).text).toContain('updates contact 275, 2297');
		expect(await n8n.emulator.callFrom('79003330003')).toMatchObject({ status: 200 });
		await verified(275);
		await verified(2297);
		expect(portal.contacts.get(2298)?.fields).toEqual({});
		expect(
			portal.contacts
				.get(275)
				?.fm.map(({ value }) => value)
				.slice(1),
		).toEqual(['8 (900) 333-00-02', '+7 900 333-00-03']);
	});

	test('bitrix24-verified-call whose labels are translated does the same', async () => {
		portal.contacts.clear();
		portal.enter(51, ['+7 900 333-00-51']);
		const credential = await n8n.client.credentials.create('Team', 'httpBasicAuth', TEAM);
		const chosen = { [CREDENTIAL_TYPE]: n8n.credential, httpBasicAuth: credential };
		const own = withOwnAddresses(recipe('bitrix24-verified-call'), 'translated');
		const settings = { address: portal.address };
		const file = withTranslatedLabels(withSettings(withChosenCredentials(own, chosen), settings));
		await n8n.client.workflows.publish((await n8n.client.workflows.create(file)).id);
		const headers = {
			authorization: `Basic ${Buffer.from(`${TEAM.user}:${TEAM.password}`).toString('base64')}`,
		};
		const pageFor = async (contact: string, phone: string) => {
			const visitor = await FormVisitor.startWith(headers, formUrl(n8n.url, file), contact, phone);
			return (await visitor.nextPage()).text;
		};
		expect(await pageFor('', '')).toContain('Enter the ID of a contact, or a phone.');
		expect(await pageFor('', '+7 900 333-00-51')).toContain('updates contact 51 within seconds');
		expect(await pageFor('51', '')).toContain('updates contact 51 within seconds');
		expect(await n8n.emulator.callFrom('79003330051')).toMatchObject({ status: 200 });
		await verified(51);
	});

	function recipe(name: string): WorkflowFile {
		const file = files.get(name);
		if (!file) throw new Error(`There is no recipe ${name}`);
		return file;
	}

	async function run(): Promise<Execution> {
		const execution = await n8n.client.workflows.run(id, TRIGGER);
		return await n8n.client.executions.wait(execution, { limit: LIMIT });
	}

	/** The figures of a run that has to succeed. */
	async function happened() {
		const execution = await run();
		expect(execution.error).toBeUndefined();
		return itemsOf(execution, 'What Happened')[0];
	}

	/** The numbers that have been paid for. */
	function paid(from = 0): string[] {
		return n8n.emulator.ledger.checks.slice(from).map(({ source }) => sameNumberKey(source));
	}

	async function paidIn(work: () => Promise<void>): Promise<string[]> {
		const before = paid().length;
		await work();
		return paid(before);
	}

	/** With “operator” in place of the name that the service gives to the number. */
	function fieldsOf(contact: number): Record<string, unknown> {
		const fields = portal.contacts.get(contact)?.fields ?? {};
		if (typeof fields.ufCrm_RESULT !== 'string') return fields;
		const text = fields.ufCrm_RESULT.replace(/: [\w ]+, Russia/g, ': operator, Russia');
		return { ...fields, ufCrm_RESULT: text };
	}

	async function verified(contact: number): Promise<void> {
		const fields = await waitUntil(
			async () => {
				const found = portal.contacts.get(contact)?.fields ?? {};
				return 'ufCrm_VERIFIED' in found ? found : undefined;
			},
			{ what: `contact ${contact} is verified`, limit: 30_000 },
		);
		expect(fields).toEqual({
			ufCrm_VERIFIED: 'Y',
			ufCrm_VERIFIED_AT: expect.stringMatching(/^20.*Z$/),
		});
	}
});

/** Of contacts with one phone, two, none, one that cannot be read or is invalid, and one that others have, too. */
function phonesOf(count: number): Map<number, string[]> {
	const part = (index: number) => String(index).padStart(4, '0');
	const own = (index: number) => `+7 900 444-${part(index)}`;
	return new Map(
		Array.from({ length: count }, (_none, index) => {
			const kinds = [
				[own(index), `+7 (916) 555 ${part(index)}`],
				[],
				[UNREADABLE],
				[own(index)],
				[`7 (900) 444 ${part(index - 1)}`],
				[`+7 000 444-${part(index)}`],
				[UNREADABLE, own(index)],
			];
			return [3 * index + 1, kinds[index % kinds.length] ?? []];
		}),
	);
}

/** The distinct numbers among what people have written, as the service counts them. */
function keysOf(phones: readonly string[]): Set<string> {
	return new Set(phones.filter((phone) => phone !== UNREADABLE).map(sameNumberKey));
}

/** What a contact with these phones has in its fields. */
function resultOf(phones: readonly string[]): Record<string, unknown> {
	const isValid = (phone: string) => /^\+?7 \(?9/.test(phone);
	const results = phones.map((phone) => {
		if (isValid(phone)) return `${phone}: operator, Russia`;
		const isRead = phone !== UNREADABLE;
		return `${phone}: ${isRead ? 'The phone is in no numbering registry' : 'unreadable: no number'}`;
	});
	return {
		ufCrm_CHECKED: phones.join('; '),
		ufCrm_VALID: phones.some(isValid) ? 'Y' : 'N',
		ufCrm_RESULT: results.join('; '),
	};
}
