import { webhookPayload } from '../../emulator/people/inboundCalls';
import { callWebhook, FormVisitor, formUrl, itemsOf, waitUntil } from '../../harness';
import { Bitrix24 } from '../../harness/standIns/bitrix24';
import { FOR_DATA_TABLES, setUpRecipe, withOwnAddresses } from '../../harness/workflows/examples';
import { sameNumberKey } from '../../nodes/CallVerification/phones/phone';
import { LIMIT, paidIn, runByHand, startByHand } from './crmRuns';
import { CRM_SIZE, printCounts } from './crmSize';
import { describeLongInOwnN8n } from './inN8n';
import { killWhen } from './killWhen';
import { withTranslatedLabels } from './translated';

/** How many numbers are checked and kept together. */
const CHUNK = 50;
/** Of the burst of 50. As many requests as 1,000 contacts need do not fit into the rest, unless they take their time. */
const TAKEN_BY_OTHERS = 38;
const BURST = 50;
/** In which one more is allowed. */
const MS_PER_REQUEST = 500;
const TEAM = { user: 'team', password: 'long and random' };
const UNREADABLE = 'ask his wife';
const everyThird = (write: number) => write % 3 === 0;

// It starts n8n anew, and waits for several runs.
jest.setTimeout(2 * LIMIT);

let portal: Bitrix24;
/** What the clock of the portal is ahead. */
let skipped = 0;
/** While this returns a time, it is that of the portal. */
let frozen = (): number | undefined => undefined;

async function withPortal() {
	portal = await Bitrix24.start(() => frozen() ?? performance.now() + skipped);
	portal.takenByOthers = () => TAKEN_BY_OTHERS;
	const service = { latencyMs: 5, startingBalance: 1e6 };
	return { settings: FOR_DATA_TABLES, service, close: async () => portal.close() };
}

describeLongInOwnN8n('Bitrix24', withPortal, (n8n) => {
	const size = CRM_SIZE;
	let id: string;

	beforeAll(async () => {
		const settings = { address: portal.address, maxNumbers: 5_000 };
		const file = await setUpRecipe('bitrix24-check-contacts', n8n, { settings });
		({ id } = await n8n.client.workflows.create(file));
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
			const { checks } = n8n.emulator.ledger;
			await startByHand(n8n, id);
			const isChecking = () => checks.length >= 0.4 * numbers.size;
			await killWhen(n8n, isChecking, 'two fifths of the checks are paid for');
			const killedAt = paid().length;
			expect(killedAt).toBeLessThan(numbers.size);
			expect(portal.writes).toBe(0);

			const isWritten = () => portal.writes >= 2 * CHUNK;
			const release = portal.gate.holdWhen(isWritten);
			await startByHand(n8n, id);
			await killWhen(n8n, isWritten, 'a hundred contacts are written');
			release();
			const written = portal.writes;
			expect(new Set(paid())).toEqual(numbers);
			const twice = paid().length - numbers.size;
			expect(twice).toBeLessThanOrEqual(CHUNK);

			portal.writes = 0;
			portal.refusesWrite = everyThird;
			const [{ error }, checked] = [await runByHand(n8n, id), paid().length];
			const left = [...phones.values()].filter((its) => its.length > 0).length - written;
			expect(left).toBeGreaterThan(CHUNK);
			expect(portal.writes).toBe(left);
			expect(error?.message).toContain(
				`${Math.floor(left / 3)} of ${left} contacts were not written. Of contact `,
			);
			expect(error?.message).toContain('the CRM says: Access denied. Run the workflow again');
			expect(checked).toBe(numbers.size + twice);
			printCounts(n8n.version, {
				'contacts of Bitrix24': size,
				'numbers checked at the first kill': killedAt,
				'contacts written at the second': written,
				'numbers paid twice': twice,
			});
		});

		test('the next run writes what was refused, and pays for nothing', async () => {
			const [checks, writes] = [paid().length, portal.writes];
			const refused = Math.floor(writes / 3);
			portal.refusesWrite = () => false;
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
			printCounts(n8n.version, {
				'contacts of Bitrix24': size,
				requests: portal.requests.length,
				'numbers paid': paid().length,
				'requests in a second at most': portal.worstRate,
			});
			expect(portal.refusedByLimit).toBe(0);
		});
	});

	test('while others use up the limit, all contacts are read, and what is not written is left to the next run', async () => {
		portal.contacts.clear();
		for (let contact = 1; contact <= 3 * CHUNK; contact++) {
			portal.enter(contact, contact > 2 * CHUNK ? [UNREADABLE] : []);
		}
		let [reads, refused] = [0, portal.refusedByLimit];
		portal.takenByOthers = (method) => {
			const isBusy = method === 'batch' || ++reads === 2;
			return isBusy ? BURST : TAKEN_BY_OTHERS;
		};
		const { error } = await runByHand(n8n, id);
		portal.takenByOthers = () => TAKEN_BY_OTHERS;
		// Three pages of 50 and an empty one, of which the second was refused, so they were read again.
		expect(reads).toBe(6);
		expect(portal.refusedByLimit - refused).toBe(2);
		expect(error?.message).toContain(
			`50 of 50 contacts were not written. Of contact 101, the CRM says: Too many requests.`,
		);

		// By then, the requests of the others have drained.
		skipped += 60_000;
		refused = portal.refusedByLimit;
		expect(await happened()).toMatchObject({ contacts: 150, new_or_changed: 50, written: 50 });
		expect(portal.refusedByLimit).toBe(refused);
	});

	test('a method that Bitrix24 has blocked for its time is named, and the next run writes without paying', async () => {
		portal.contacts.clear();
		for (const contact of [1, 2]) portal.enter(contact, [`+7 900 666-00-0${contact}`]);
		portal.blockedMethod = 'crm.item.update';
		const paid = await paidIn(n8n, async () => {
			const { error } = await runByHand(n8n, id);
			expect(error?.message).toContain(
				'2 of 2 contacts were not written. Of contact 1, the CRM says: Method is blocked due to operation time limit.',
			);
		});
		portal.blockedMethod = undefined;
		expect(paid).toHaveLength(2);
		expect(
			await paidIn(n8n, async () => expect(await happened()).toMatchObject({ written: 2 })),
		).toEqual([]);
	});

	test('a field whose name is misspelt, which Bitrix24 ignores, is named by every run, and costs nothing twice', async () => {
		portal.contacts.clear();
		portal.enter(1, ['+7 900 777-00-01']);
		const all = portal.customFields;
		const says = async (missing: string, then: string) => {
			portal.customFields = all.filter((name) => name !== missing);
			const { error } = await runByHand(n8n, id);
			portal.customFields = all;
			expect(error?.message).toContain(
				`1 of 1 contacts were not written. Of contact 1, the CRM says: there is no field ${missing}. Correct its name in Settings${then}. Run`,
			);
		};
		const paid = await paidIn(n8n, async () => {
			await says('ufCrm_CHECKED', '');
			expect(fieldsOf(1)).not.toHaveProperty('ufCrm_CHECKED');
			await says('ufCrm_CHECKED', '');
			await says('ufCrm_RESULT', ', and empty ufCrm_CHECKED of this contact');
			portal.enter(1, ['+7 900 777-00-01'], { ...fieldsOf(1), ufCrm_CHECKED: '' });
			expect(await happened()).toMatchObject({ written: 1 });
			expect(await happened()).toMatchObject({ new_or_changed: 0, written: 0 });
		});
		expect(paid).toEqual(['+7 900 777-00-01']);
		expect(fieldsOf(1)).toEqual(resultOf(['+7 900 777-00-01']));
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
			await paidIn(n8n, async () => expect(await happened()).toMatchObject({ written: 3 })),
		).toEqual(['+7 900 111-00-11']);
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
		const execution = await runByHand(n8n, id);
		n8n.emulator.faults.remove(fault);
		expect(execution.error?.message).toContain('60 of 60 numbers could not be checked.');
		expect(execution.nodes['Check Number']).toHaveLength(1);
		expect(await paidIn(n8n, async () => void (await happened()))).toHaveLength(60);
	});

	test('bitrix24-verified-call verifies contacts by their ID or phone, and tells all that have the number', async () => {
		portal.contacts.clear();
		portal.enter(43, ['+7 900 000-00-01']);
		portal.enter(275, ['8 (900) 333-00-02', '+7 900 333-00-03']);
		portal.enter(2297, ['+79003330003']);
		portal.enter(2298, []);
		portal.enter(2299, ['7 900 333 00 03']);
		const phonesBefore = new Map([...portal.contacts].map(([each, { fm }]) => [each, [...fm]]));
		const refusedBefore = portal.refusedByLimit;
		const file = await setUpRecipe('bitrix24-verified-call', n8n, {
			settings: { address: portal.address },
			credentials: {
				httpBasicAuth: await n8n.client.credentials.create('Team', 'httpBasicAuth', TEAM),
			},
			waitBetweenTries: 200,
		});
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

		// The ID with its right phone, written differently.
		expect((await pageFor('43', '8 900 000 00 01')).text).toContain('updates contact 43 within');
		const forged = n8n.emulator.ledger.inboundWaits[0];
		if (!forged) throw new Error('Nobody was asked to call');
		const callback = forged.callbackUrl.replace('ref=43', 'ref=2298');
		expect(callback).not.toBe(forged.callbackUrl);
		const body = webhookPayload(forged);
		expect(await callWebhook(callback, { body })).toMatchObject({ status: 401 });
		expect(await n8n.emulator.callFrom('79000000001')).toMatchObject({ status: 200 });
		await verified(43);

		portal.writes = 0;
		portal.refusesWrite = everyThird;
		const shown = await pageFor('', '8 900 333-00-03');
		expect(shown.text).toContain('updates contact 275, 2297, 2299 within');
		expect(await n8n.emulator.callFrom('79003330003')).toMatchObject({ status: 200 });
		for (const contact of [275, 2297, 2299]) await verified(contact);
		portal.refusesWrite = () => false;
		expect(portal.writes).toBeGreaterThan(3);
		expect(portal.contacts.get(2298)?.fields).toEqual({});
		expect(portal.refusedByLimit).toBe(refusedBefore);

		// While others leave three requests of the burst, what exceeds the limit is tried again. Time goes on only when
		// something is refused, so on a slow machine, too, the portal has no time to recover between two updates.
		portal.takenByOthers = () => BURST - 3;
		const twenty = Array.from({ length: 20 }, (_none, index) => 3_000 + index);
		for (const contact of twenty) portal.enter(contact, ['+7 900 333-00-04']);
		expect((await pageFor('', '+7 900 333-00-04')).text).toContain(twenty.join(', '));
		const stoppedAt = performance.now() + skipped;
		const refusals = () => portal.refusedByLimit - refusedBefore;
		frozen = () => stoppedAt + MS_PER_REQUEST * refusals();
		expect(await n8n.emulator.callFrom('79003330004')).toMatchObject({ status: 200 });
		for (const contact of twenty) await verified(contact);
		frozen = () => undefined;
		skipped += 60_000;
		portal.takenByOthers = () => TAKEN_BY_OTHERS;
		expect(refusals()).toBeGreaterThanOrEqual(twenty.length - 3);
		for (const [contact, fm] of phonesBefore) expect(portal.contacts.get(contact)?.fm).toEqual(fm);
	});

	test('bitrix24-verified-call whose labels are translated does the same', async () => {
		portal.contacts.clear();
		portal.enter(51, ['+7 900 333-00-51']);
		const configured = await setUpRecipe('bitrix24-verified-call', n8n, {
			settings: { address: portal.address },
			credentials: {
				httpBasicAuth: await n8n.client.credentials.create('Team', 'httpBasicAuth', TEAM),
			},
		});
		const file = withTranslatedLabels(withOwnAddresses(configured, 'translated'));
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

	/** The figures of a run that has to succeed. */
	async function happened() {
		const execution = await runByHand(n8n, id);
		expect(execution.error).toBeUndefined();
		return itemsOf(execution, 'What Happened')[0];
	}

	/** The numbers that have been paid for. */
	function paid(): string[] {
		return n8n.emulator.ledger.checks.map(({ source }) => sameNumberKey(source));
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
			{ what: `contact ${contact} is verified`, limit: LIMIT },
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
