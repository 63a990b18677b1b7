import type { IDataObject } from 'n8n-workflow';
import { itemsOf, waitUntil, type WorkflowFile } from '../../harness';
import { type BotMessage, TelegramStandIn } from '../../harness/standIns/telegram';
import {
	asPasted,
	FOR_DATA_TABLES,
	setUpRecipe,
	withoutSavedSuccesses,
	withSavedExecutions,
} from '../../harness/workflows/examples';
import { describeLongInOwnN8n } from './inN8n';
import { killWhen } from './killWhen';
import { nodesThatStore, secretsIn, storedExecutions } from './storedExecutions';
import { inCyrillic, translated } from './translated';

const TABLE = 'telegram_logins';
const COLUMNS = ['user_id', 'phone', 'token', 'delivery'];
const SHARE = { text: 'Share my number', request_contact: true };
const NO_CALL = 'No call came';
const THANKS = 'Thank you. Your phone is verified.';

let telegram: TelegramStandIn;

async function withTelegram() {
	telegram = new TelegramStandIn();
	await telegram.start();
	const close = async () => await telegram.close();
	return { settings: FOR_DATA_TABLES, close };
}

describeLongInOwnN8n('telegram-login', withTelegram, (n8n) => {
	let workflowId: string;
	let file: WorkflowFile;
	const bots: TelegramStandIn[] = [];
	let people = 100;
	let phones = 79_160_000_100;

	beforeAll(async () => {
		const { credentials, workflows } = n8n.client;
		const bot = { ...telegram.credential };
		const telegramApi = await credentials.create('Bot', 'telegramApi', bot);
		const recipe = await setUpRecipe('telegram-login', n8n, { credentials: { telegramApi } });
		file = withSavedExecutions(recipe);
		workflowId = (await workflows.create(file)).id;
		if (n8n.line === '2.x') {
			const { error } = await n8n.client.run(workflowId, 'Run Once');
			expect(error).toBeUndefined();
		}
		await workflows.publish(workflowId);
	});

	afterAll(async () => {
		for (const bot of bots) await bot.close();
	});

	test('takes a shared contact from its owner, and calls nobody', async () => {
		const ann = newPerson();
		expect(await ann.writes('/start')).toEqual({
			text: expect.stringContaining('share your phone number'),
			buttons: [SHARE],
		});
		expect(await ann.sharesContact('+7 900 000-00-01')).toEqual({ text: THANKS, buttons: [] });
		expect(await verified(ann.id)).toEqual([
			{ telegram_user_id: ann.id, verified_phone: '79000000001', delivery: 'contact' },
		]);
		expect(callsTo('79000000001')).toEqual([]);
	});

	test('refuses the contact of somebody else, with or without an account', async () => {
		const eve = newPerson();
		const refused = { text: expect.stringContaining('somebody else’s contact'), buttons: [SHARE] };
		expect(await eve.sharesContact('+79000000001', eve.id + 1)).toEqual(refused);
		expect(await eve.sharesStranger('+79000000001')).toEqual(refused);
		expect(await verified(eve.id)).toEqual([]);
	});

	test('calls a number that is typed, takes the right code once, and calls no phone twice', async () => {
		const [ben, phone] = [newPerson(), newPhone()];
		const asked = await ben.writes(`+${phone}`);
		expect(asked).toEqual(codeAfter('We are calling you now'));
		expect((await ben.writes(`+${phone}`)).text).toContain('We called you a moment ago');
		expect(callsTo(phone)).toHaveLength(1);

		expect(await ben.writes(codeOf(phone))).toEqual({ text: THANKS, buttons: [] });
		expect(await verified(ben.id)).toEqual([
			{ telegram_user_id: ben.id, verified_phone: phone, delivery: 'callerNumber' },
		]);
		// The login is over.
		expect((await ben.writes(codeOf(phone))).buttons).toEqual([SHARE]);
		expect(await verified(ben.id)).toHaveLength(1);
	});

	test('what Telegram posts twice at the same instant calls nobody twice, and verifies nobody twice', async () => {
		const [ida, phone] = [newPerson(), newPhone()];
		const twice = async (content: object) => {
			await Promise.all([ida.posts(content), ida.posts(content)]);
			await allEnded();
		};
		await twice({ text: `+${phone}` });
		expect(callsTo(phone)).toHaveLength(1);
		await twice({ text: codeOf(phone) });
		expect(await verified(ida.id)).toEqual([
			{ telegram_user_id: ida.id, verified_phone: phone, delivery: 'callerNumber' },
		]);
	});

	test('when Telegram refuses what the bot says, the call counts, and whoever types its code is verified', async () => {
		const { executions } = n8n.client;
		const [jo, phone] = [newPerson(), newPhone()];
		telegram.refuses = (chat) => chat === jo.id;
		const typed = await executions.startedBy(
			workflowId,
			async () => await jo.posts({ text: `+${phone}` }),
		);
		expect(typed.execution.status).toBe('error');
		expect(callsTo(phone)).toHaveLength(1);
		await executions.delete(typed.execution.id);

		// The thanks are refused, too.
		await jo.posts({ text: codeOf(phone) });
		expect(await verified(jo.id)).toMatchObject([{ verified_phone: phone }]);
		telegram.refuses = () => false;
		expect(telegram.messagesTo(jo.id)).toEqual([]);
	});

	test('compares five codes per call, and the right one then comes too late', async () => {
		const [eve, phone] = [newPerson(), newPhone()];
		await eve.writes(`+${phone}`);
		const code = codeOf(phone);
		const wrong = ['1000', '1001', '1002', '1003', '1004', '1005'].filter((each) => each !== code);
		for (const [index, each] of wrong.slice(0, 4).entries()) {
			expect((await eve.writes(each)).text).toContain(`Tries left: ${4 - index}.`);
		}
		expect((await eve.writes(wrong[4] ?? '')).text).toContain('it was the last try');
		expect((await eve.writes(code)).text).toContain('no tries left');
		expect(await verified(eve.id)).toEqual([]);
	});

	test('if no call comes, a voice says the code, and then the person calls a number', async () => {
		const [cara, phone] = [newPerson(), newPhone()];
		await cara.writes(`+${phone}`);
		expect(await cara.writes(NO_CALL)).toEqual(codeAfter('please answer', 'the voice said'));
		expect(callsTo(phone).map(({ variant }) => variant)).toEqual(['call', 'voice']);

		const { text, buttons } = await cara.writes('/nocall');
		const [wait, ...others] = n8n.emulator.ledger.inboundWaits.filter(
			(each) => each.phone === phone,
		);
		expect(others).toEqual([]);
		expect(text).toContain(`+${wait?.confirmationNumber}`);
		expect(text).toContain(`ending in ${phone.slice(-2)}`);
		expect(buttons).toEqual([]);
		await untilWaiting();
		expect(await n8n.emulator.callFrom(phone)).toMatchObject({ status: 200 });
		expect(await cara.isTold()).toEqual({ text: THANKS, buttons: [] });
		expect(await verified(cara.id)).toEqual([
			{ telegram_user_id: cara.id, verified_phone: phone, delivery: 'inbound' },
		]);
	});

	test('takes the spoken code, too', async () => {
		const [dora, phone] = [newPerson(), newPhone()];
		await dora.writes(`+${phone}`);
		await dora.writes(NO_CALL);
		await dora.writes(callsTo(phone)[1]?.code ?? '');
		expect(await verified(dora.id)).toEqual([
			{ telegram_user_id: dora.id, verified_phone: phone, delivery: 'voice' },
		]);
	});

	test('a stranger cannot go on with what somebody else has started, nor pose as them', async () => {
		const [victim, eve, phone] = [newPerson(), newPerson(), newPhone()];
		await victim.writes(`+${phone}`);
		const calls = n8n.emulator.ledger.calls.length;

		expect((await eve.writes(codeOf(phone))).buttons).toEqual([SHARE]);
		expect((await eve.writes(NO_CALL)).buttons).toEqual([SHARE]);
		const forged = { message: { from: { id: victim.id }, chat: { id: victim.id }, text: '1234' } };
		expect(await telegram.post(forged, 'guessed')).toBe(403);
		// Nobody answers in a group, where everyone could read the number.
		expect(await eve.posts({ text: `+${newPhone()}` }, 'group')).toBe(200);
		expect(n8n.emulator.ledger.calls).toHaveLength(calls);
		expect(n8n.emulator.ledger.inboundWaits.filter((wait) => wait.phone === phone)).toEqual([]);

		expect((await victim.writes(codeOf(phone))).text).toBe(THANKS);
		expect(await verified(eve.id)).toEqual([]);
	});

	test('verifies two people at once, each with a number and code of their own', async () => {
		const pairs = [1, 2].map(() => ({ person: newPerson(), phone: newPhone() }));
		const all = async <T>(act: (pair: (typeof pairs)[number]) => Promise<T>) =>
			await Promise.all(pairs.map(act));
		await all(async ({ person, phone }) => await person.writes(`+${phone}`));
		const told = await all(async ({ person, phone }) => await person.writes(codeOf(phone)));
		expect(told.map(({ text }) => text)).toEqual([THANKS, THANKS]);
		for (const { person, phone } of pairs) {
			expect(await verified(person.id)).toMatchObject([{ verified_phone: phone }]);
		}
	});

	test('calls only allowed numbers, and three times an hour for one person', async () => {
		const eve = newPerson();
		expect((await eve.writes('89160000001')).text).toContain('with a plus sign');
		expect((await eve.writes('+44 7700 900123')).text).toContain('that start with +79');
		const calls = n8n.emulator.ledger.calls.length;
		for (let call = 0; call < 3; call++) await eve.writes(`+${newPhone()}`);
		expect((await eve.writes(`+${newPhone()}`)).text).toContain('You have tried several times');
		expect(n8n.emulator.ledger.calls).toHaveLength(calls + 3);
	});

	test('keeps no code in the table, and nothing of those who are verified', async () => {
		const [finn, phone] = [newPerson(), newPhone()];
		await finn.writes(`+${phone}`);
		const rows = await n8n.client.dataTables.rows(TABLE);
		const row = rows.find((each) => each.user_id === String(finn.id));
		expect(row).toMatchObject({ phone: `+${phone}`, delivery: 'callerNumber' });
		expect(String(row?.token)).toMatch(/^v1\./);
		// A digit may follow another in IDs, dates and tokens: what counts is that no cell is a code.
		const cells = rows.flatMap((each) => Object.values(each).map(String));
		const codes = n8n.emulator.ledger.calls.map(({ code }) => code);
		expect(codes.length).toBeGreaterThan(5);
		expect(cells.filter((cell) => codes.includes(cell))).toEqual([]);
		expect(Object.keys(row ?? {}).sort()).toEqual(
			[...COLUMNS, 'createdAt', 'id', 'updatedAt'].sort(),
		);
		const done = (await allVerified()).map(({ telegram_user_id: id }) => String(Number(id)));
		expect(rows.filter(({ user_id: id }) => done.includes(String(id)))).toEqual([]);
	});

	test('goes on after n8n was killed: with a code that was asked for, and with a call that it waits for', async () => {
		const [gina, called] = [newPerson(), newPhone()];
		await gina.writes(`+${called}`);
		const [hal, calling] = [newPerson(), newPhone()];
		await hal.writes(`+${calling}`);
		await hal.writes(NO_CALL);
		await hal.writes('/nocall');
		await untilWaiting();
		await allEnded();
		await killWhen(n8n, () => true, 'one has a code, and one has a number to call');
		// n8n answers before it listens to the bot again.
		await waitUntil(
			async () => (await gina.posts({ text: 'hello' }, 'group')) === 200 || undefined,
			{
				what: 'the bot listens',
			},
		);

		expect(await gina.writes(codeOf(called))).toEqual({ text: THANKS, buttons: [] });
		expect(await n8n.emulator.callFrom(calling)).toMatchObject({ status: 200 });
		expect(await hal.isTold()).toEqual({ text: THANKS, buttons: [] });
		expect(await verified(gina.id)).toMatchObject([{ verified_phone: called }]);
		expect(await verified(hal.id)).toMatchObject([
			{ verified_phone: calling, delivery: 'inbound' },
		]);
	});

	test('deletes the rows of those who have not written for a day', async () => {
		const text = JSON.stringify(file);
		const atOnce = text.replace("minus(1, 'day')", "minus(0, 'day')");
		expect(atOnce).not.toBe(text);
		expect(await n8n.client.dataTables.rows(TABLE)).not.toEqual([]);
		await n8n.client.workflows.replace(workflowId, JSON.parse(atOnce) as WorkflowFile);
		await n8n.client.workflows.publish(workflowId);
		const ann = newPerson();
		await ann.sharesContact(newPhone());
		await verified(ann.id);
		expect(await n8n.client.dataTables.rows(TABLE)).toEqual([]);
	});

	test('translated, answers with no word in English, and understands its own button', async () => {
		await n8n.client.workflows.replace(workflowId, translated(file));
		await n8n.client.workflows.publish(workflowId);
		const [gina, phone] = [newPerson(), newPhone()];
		const said = [await gina.writes('/start'), await gina.writes(`+${phone}`)];
		said.push(await gina.writes('1'), await gina.writes(inCyrillic(NO_CALL)));
		expect(callsTo(phone).map(({ variant }) => variant)).toEqual(['call', 'voice']);
		said.push(await gina.writes(callsTo(phone)[1]?.code ?? ''));
		expect(said.at(-1)?.text).toBe(inCyrillic(THANKS));
		const words = said.flatMap(({ text, buttons }) => [text, ...buttons.map((each) => each.text)]);
		expect(words.map((text) => text.replace(/<[^>]+>/g, '')).join('\n')).not.toMatch(/[a-z]/i);
		expect(await verified(gina.id)).toMatchObject([{ verified_phone: phone, delivery: 'voice' }]);
	});

	test('pasted, stores numbers and codes, but no secret; after the step in its note, no successful execution', async () => {
		const pasted = await publishOwn('pasted', asPasted);
		const stepped = await publishOwn('stepped', (own) => withoutSavedSuccesses(asPasted(own)));
		const [typed, shared] = [newPhone(), newPhone()];
		await converse(pasted.bot, typed, shared);
		await converse(stepped.bot, newPhone(), newPhone());

		const stored = await storedExecutions(n8n.client, pasted.id, 3);
		const { secret_token: webhookSecret } = await pasted.bot.connected();
		const { secretKey } = n8n.emulator;
		const botToken = pasted.bot.credential.accessToken;
		expect(secretsIn(stored, { botToken, webhookSecret, secretKey })).toEqual([]);
		expect(nodesThatStore(stored, typed)).toEqual([
			'Call',
			'Check Code',
			'Find Login',
			'Forget Login',
			'In Private?',
			'Keep Login',
			'Message',
			'Right Code?',
			'Telegram Trigger',
			'Typed Number',
			'Verified',
			'Which Message?',
		]);
		expect(nodesThatStore(stored, shared)).toEqual(['In Private?', 'Telegram Trigger', 'Verified']);
		// In quotes: its digits may also follow each other in an ID or a time.
		expect(nodesThatStore(stored, JSON.stringify(codeOf(typed)))).toEqual([
			'In Private?',
			'Message',
			'Telegram Trigger',
		]);

		await storedExecutions(n8n.client, stepped.id, 0);
	});

	test('no execution has failed', async () => {
		const executions = await n8n.client.executions.list(workflowId);
		expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
	});

	/** The recipe once more, for a bot of its own. */
	async function publishOwn(purpose: string, change: (file: WorkflowFile) => WorkflowFile) {
		const { credentials, workflows } = n8n.client;
		const bot = new TelegramStandIn(`123456:token-of-${purpose}`);
		await bot.start();
		bots.push(bot);
		const telegramApi = await credentials.create(purpose, 'telegramApi', { ...bot.credential });
		const own = change(await setUpRecipe('telegram-login', n8n, { credentials: { telegramApi } }));
		const nodes = own.nodes.map((node) =>
			node.webhookId ? { ...node, webhookId: `${purpose}-${node.webhookId}` } : node,
		);
		const { id } = await workflows.create({ ...own, nodes });
		await workflows.publish(id);
		return { id, bot };
	}

	/** Somebody types a number and its code, and somebody else shares a contact. */
	async function converse(bot: TelegramStandIn, typed: string, shared: string): Promise<void> {
		const [ben, ann] = [bot.person(people++), bot.person(people++)];
		await ben.writes(`+${typed}`);
		expect(await ben.writes(codeOf(typed))).toMatchObject({ text: THANKS });
		expect(await ann.sharesContact(`+${shared}`)).toMatchObject({ text: THANKS });
	}

	const newPerson = () => telegram.person(people++);
	const newPhone = () => String(phones++);
	const callsTo = (phone: string) =>
		n8n.emulator.ledger.calls.filter((call) => call.phone === phone);
	const codeOf = (phone: string) => callsTo(phone)[0]?.code ?? '';
	const codeAfter = (...words: string[]): BotMessage => ({
		text: expect.stringMatching(words.join('[^]*')) as string,
		buttons: [{ text: NO_CALL }],
	});

	/** What has come out of Verified, for whomever. */
	async function allVerified(): Promise<IDataObject[]> {
		const { executions } = n8n.client;
		const ids = (await executions.list(workflowId)).map(({ id }) => id);
		const read = await Promise.all(ids.map(async (id) => await executions.get(id)));
		const reached = read.filter(({ nodes }) => nodes.Verified);
		return reached.map((execution) => itemsOf(execution, 'Verified')[0] ?? {});
	}

	async function verified(userId: number): Promise<IDataObject[]> {
		await allEnded();
		return (await allVerified()).filter(({ telegram_user_id: id }) => id === userId);
	}

	/** But for those that wait. */
	async function allEnded(): Promise<void> {
		await waitUntil(
			async () => {
				const all = await n8n.client.executions.list(workflowId);
				return all.every(({ status }) => !['new', 'running'].includes(status)) || undefined;
			},
			{ what: 'all executions have ended' },
		);
	}

	/** Before that, n8n would not accept a call. */
	async function untilWaiting(): Promise<void> {
		await waitUntil(
			async () => {
				const all = await n8n.client.executions.list(workflowId);
				return all.some(({ status }) => status === 'waiting') || undefined;
			},
			{ what: 'an execution waits for a call' },
		);
	}
});
