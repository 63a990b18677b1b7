import { type Credential, itemsOf } from '../../harness';
import { AmoCrm, type AmoContact } from '../../harness/standIns/amocrm';
import { FOR_DATA_TABLES, setUpRecipe, untilSucceeded } from '../../harness/workflows/examples';
import { amoToken, LIMIT, paidIn, runByHand, startByHand } from './crmRuns';
import { CRM_SIZE, printCounts } from './crmSize';
import { describeLongInOwnN8n } from './inN8n';
import { killWhen } from './killWhen';

const CHUNK = 50;
const PER_SECOND = 7;
const FIELDS = { checkedField: 901, validField: 902, resultField: 903 };
/** What a text of the user has to be at the end of the webhook's address. */
const SECRET = 'long-and-random';
// It starts n8n anew, and waits for several runs.
jest.setTimeout(2 * LIMIT);

const rich = () => ({ settings: FOR_DATA_TABLES, service: { startingBalance: 1e6 } });

describeLongInOwnN8n('amoCRM', rich, (n8n) => {
	const size = CRM_SIZE;
	const amo = new AmoCrm(Object.values(FIELDS));
	let check: string;
	let newContact: string | undefined;
	let token: Credential;

	beforeAll(async () => {
		await amo.start();
		token = await amoToken(n8n, amo);
		check = await recipe('amocrm-check-contacts');
	});

	afterAll(async () => await amo.close());

	test('an account without contacts, which answers nothing, is no error', async () => {
		const execution = await runByHand(n8n, check);
		expect(execution.error).toBeUndefined();
		expect(itemsOf(execution, 'What Happened')[0]).toMatchObject({ contacts: 0, written: 0 });
	});

	test(`${size} contacts: each number is paid for once, and each contact written`, async () => {
		for (let index = 0; index < size; index++) amo.add(`Person ${index}`, ...phonesOf(index));
		const paid = await paidIn(n8n, async () => {
			expect((await runByHand(n8n, check)).error).toBeUndefined();
		});

		const numbers = new Set(everyPhone().filter(isReadable).map(digitsOf));
		expect(numbers.size).toBeGreaterThan(size / 2);
		expect(paid.map(digitsOf).sort()).toEqual([...numbers].sort());
		for (const contact of amo.contacts.values()) expect(seen(contact)).toEqual(wanted(contact));
		printCounts(n8n.version, {
			'contacts of amoCRM': size,
			requests: amo.requests.length,
			'numbers paid': paid.length,
			'contacts written': amo.writes.length,
			'requests in a second at most': amo.worstRate,
		});
	});

	test('the next run pays and writes nothing', async () => {
		const written = amo.writes.length;
		expect(await paidIn(n8n, async () => await runByHand(n8n, check))).toEqual([]);
		expect(amo.writes).toHaveLength(written);
	});

	test('after a page that amoCRM has refused, no contact is left out', async () => {
		let refusals = 0;
		amo.refusesPage = (page) => page === 2 && refusals++ === 0;
		const execution = await runByHand(n8n, check);
		amo.refusesPage = () => false;
		expect(itemsOf(execution, 'What Happened')[0]).toMatchObject({ contacts: size });
		expect(refusals).toBeGreaterThan(1);
	});

	test('a contact whose phones were removed has its result emptied, and one with another phone a new one', async () => {
		const [, first, second] = [...amo.contacts.values()].filter(
			(contact) => amo.phonesOf(contact).length > 0,
		);
		if (!first || !second) throw new Error('There are no contacts with phones');
		amo.setPhones(first, []);
		amo.setPhones(second, ['+7 901 000-00-01']);
		const paid = await paidIn(n8n, async () => await runByHand(n8n, check));
		expect(paid).toEqual(['+7 901 000-00-01']);
		expect([seen(first), seen(second)]).toEqual([wanted(first), wanted(second)]);
		expect(amo.valueOf(first, FIELDS.resultField)).toBe('');
	});

	test('what amoCRM has refused is written by the next run, which pays for nothing', async () => {
		const changed = changePhones(150, '+7 902 000');
		amo.refusesWrite = (write) => write % 3 === 0;
		let message: string | undefined;
		const paid = await paidIn(n8n, async () => {
			message = (await runByHand(n8n, check)).error?.message;
		});
		amo.refusesWrite = () => false;
		expect(paid).toHaveLength(changed.length);
		expect(message).toContain('50 of 150 contacts were not written');

		const written = amo.writes.length;
		expect(await paidIn(n8n, async () => await runByHand(n8n, check))).toEqual([]);
		expect(amo.writes).toHaveLength(written + 50);
		for (const contact of changed) expect(seen(contact)).toEqual(wanted(contact));
	});

	test(`after a kill, everything is written, and at most ${CHUNK} numbers are paid for twice`, async () => {
		const changed = changePhones(3 * CHUNK, '+7 903 000');
		const { checks } = n8n.emulator.ledger;
		const [paidBefore, writtenBefore] = [checks.length, amo.writes.length];
		const written = () => amo.writes.length - writtenBefore;
		const paid = await paidIn(n8n, async () => {
			await startByHand(n8n, check);
			const isChecking = () => checks.length >= paidBefore + CHUNK + 25;
			await killWhen(n8n, isChecking, 'the second fifty are being checked');
			const isWritten = () => written() > 0;
			const release = amo.gate.holdWhen(isWritten);
			await startByHand(n8n, check);
			await killWhen(n8n, isWritten, 'the first fifty are written');
			release();
			expect(written()).toBeLessThan(changed.length);
			expect((await runByHand(n8n, check)).error).toBeUndefined();
		});
		const twice = paid.length - new Set(paid).size;
		printCounts(n8n.version, { 'kills while amoCRM is checked': 2, 'numbers paid twice': twice });
		expect(new Set(paid).size).toBe(changed.length);
		expect(twice).toBeLessThanOrEqual(CHUNK);
		expect(written()).toBe(changed.length);
		for (const contact of changed) expect(seen(contact)).toEqual(wanted(contact));
	});

	test('a new contact is checked at once; its event once more, and that of our own change, cost nothing', async () => {
		const id = await listening();
		const [known = ''] = everyPhone().filter(isReadable);
		const before = amo.requests.length;
		let contact: AmoContact | undefined;
		const paid = await paidIn(n8n, async () => {
			contact = amo.add('New', '+7 904 000-00-01', known, '+7 904 000-00-02');
			// amoCRM tells of the change that its event has led to.
			await untilSucceeded(n8n.client, id, 2);
			amo.repeat(amo.posted[0] ?? '');
			await untilSucceeded(n8n.client, id, 4);
		});
		amo.hook = undefined;
		expect(paid).toEqual(['+7 904 000-00-01', '+7 904 000-00-02']);
		if (!contact) throw new Error('No contact was added');
		expect(seen(contact)).toEqual(wanted(contact));
		// One change for each of the two events, and none for those that they have caused.
		expect(amo.requests.slice(before)).toEqual([
			'PATCH /api/v4/contacts',
			'PATCH /api/v4/contacts',
		]);
		const written = amo.writes.length;
		await runByHand(n8n, check);
		expect(amo.writes).toHaveLength(written);
	});

	test('a new contact whose check has failed, or that amoCRM has refused five times, is left to the other recipe, which pays only for what has failed', async () => {
		const id = await listening();
		const { executions } = n8n.client;
		const fault = n8n.emulator.faults.add({ kind: 'errorCode', code: 401 });
		const unchecked = await executions.startedBy(id, async () =>
			amo.add('Unchecked', '+7 905 000-00-01'),
		);
		n8n.emulator.faults.remove(fault);
		expect(unchecked.execution.status).toBe('success');

		const before = amo.requests.length;
		amo.refusesWrite = () => true;
		const refused = await executions.startedBy(id, async () =>
			amo.add('Refused', '+7 905 000-00-02'),
		);
		amo.refusesWrite = () => false;
		amo.hook = undefined;
		expect(refused.execution.status).toBe('error');
		expect(amo.requests.slice(before)).toEqual(Array(5).fill('PATCH /api/v4/contacts'));

		const paid = await paidIn(n8n, async () => {
			expect((await runByHand(n8n, check)).error).toBeUndefined();
		});
		expect(paid).toEqual(['+7 905 000-00-01']);
		for (const { result } of [unchecked, refused]) expect(seen(result)).toEqual(wanted(result));
	});

	test('a new contact whose result is kept, but not written because n8n was killed, is written by the other recipe, which pays for nothing', async () => {
		await listening();
		const release = amo.gate.hold();
		let contact: AmoContact | undefined;
		const paid = await paidIn(n8n, async () => {
			contact = amo.add('Killed', '+7 906 000-00-01');
			await killWhen(n8n, () => amo.gate.waiting > 0, 'the result is on its way to amoCRM');
			release();
			amo.hook = undefined;
		});
		expect(paid).toEqual(['+7 906 000-00-01']);
		if (!contact) throw new Error('No contact was added');
		expect(seen(contact).result).toBe('');

		const again = await paidIn(n8n, async () => {
			expect((await runByHand(n8n, check)).error).toBeUndefined();
		});
		expect(again).toEqual([]);
		expect(seen(contact)).toEqual(wanted(contact));
	});

	test('no change had a phone among its fields', () => {
		expect(amo.writes.length).toBeGreaterThan(size / 2);
		expect(amo.phoneChanges).toEqual([]);
	});

	test(`never were there more than ${PER_SECOND} requests a second`, () => {
		expect(amo.worstRate).toBeLessThanOrEqual(PER_SECOND);
	});

	/** Creates the recipe as its first note says, and returns its ID. */
	async function recipe(name: string): Promise<string> {
		const file = await setUpRecipe(name, n8n, {
			settings: { ...FIELDS, address: amo.url },
			credentials: { httpHeaderAuth: token },
			secret: SECRET,
			// amoCRM allows seven requests a second.
			waitBetweenTries: 200,
		});
		return (await n8n.client.workflows.create(file)).id;
	}

	/** The recipe for new contacts, which amoCRM tells of each of them; it is one workflow for all tests. */
	async function listening(): Promise<string> {
		newContact ??= await recipe('amocrm-new-contact');
		await n8n.client.workflows.publish(newContact);
		amo.hook = `${n8n.url}/webhook/amocrm-new-contact-${SECRET}`;
		return newContact;
	}

	function everyPhone(): string[] {
		return [...amo.contacts.values()].flatMap((contact) => amo.phonesOf(contact));
	}

	/** Gives contacts that have a phone another one. */
	function changePhones(count: number, start: string): AmoContact[] {
		const changed = [...amo.contacts.values()]
			.filter((contact) => amo.phonesOf(contact).length === 1)
			.slice(0, count);
		for (const [index, contact] of changed.entries()) {
			amo.setPhones(contact, [`${start}-${String(index).padStart(4, '0')}`]);
		}
		return changed;
	}

	function seen(contact: AmoContact) {
		const value = (field: keyof typeof FIELDS) => amo.valueOf(contact, FIELDS[field]);
		const result = value('resultField').replace(OF_VALID, 'valid');
		return { id: contact.id, checked: value('checkedField'), valid: value('validField'), result };
	}

	function wanted(contact: AmoContact) {
		const phones = amo.phonesOf(contact);
		const { id } = contact;
		const isLookedAt = contact.custom_fields_values?.some(({ field_id }) => field_id === 901);
		if (phones.length === 0) {
			return { id, checked: '', valid: isLookedAt ? 'no' : '', result: '' };
		}
		const result = phones.map((phone) =>
			isReadable(phone) ? `${phone}: valid` : `${phone}: unreadable: no number`,
		);
		return {
			id,
			checked: phones.join('; '),
			valid: phones.some(isReadable) ? 'yes' : 'no',
			result: result.join('; '),
		};
	}
});

/** What is said of a valid number: its operator and country. */
const OF_VALID = /(?:North Line|Ported Telecom), Russia/g;
const isReadable = (phone: string) => /\d/.test(phone);
const digitsOf = (phone: string) => phone.replace(/\D/g, '');

/** One, two, none, one that cannot be read, or that of another contact, written differently. */
function phonesOf(index: number): string[] {
	const own = `+7 900 1${String(index)
		.padStart(6, '0')
		.replace(/(...)(...)/, '$1-$2')}`;
	switch (index % 10) {
		case 1:
			return [];
		case 2:
			return [own, own.replace('+7 900 1', '+7 900 2')];
		case 3:
			return ['ask her sister'];
		case 4:
			return [phonesOf(index - 2)[0]?.replace(/[ -]/g, '') ?? ''];
		case 5:
			return ['no idea', own];
		default:
			return [own];
	}
}
