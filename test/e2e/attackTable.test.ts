import { type Answer, postAll } from '../../harness/rest/webhooks';
import {
	callWebhook,
	type Credential,
	type FieldValue,
	type FormVisitor,
	type WorkflowFile,
	productionUrl,
	waitUntil,
	withParameters,
} from '../../harness';
import { FEWER_CALLS, FormExample, withFewerCalls } from './formExample';
import { webhookPayload } from '../../emulator/people/inboundCalls';
import { describeLongInN8n, type InN8n } from './inN8n';
import {
	LoginApi,
	reasonsOf,
	withLongCooldown,
	withReasons,
} from '../../harness/workflows/loginApi';
import {
	createModelCredential,
	type ModelStandIn,
	startModelStandIn,
	type Turn,
} from './modelStandIn';
import { parameterOf, publishExample } from '../../harness/workflows/examples';
import { createSiteCredential, siteHeaders } from '../../harness/workflows/siteRequests';
import { waitsAfter } from './waitsAfter';

const AT_ONCE = 16;
const NO_HEADERS: Readonly<Record<string, string>> = {};
/** The result of a call is known at once. */
const RINGS_AT_ONCE = { callResultAfterMs: 0 };
const REFUSED = { status: 401, text: '{"verified":false}' };
/** With a token, the response of login-api to every number. */
const CALLED = { show: 'digits', exists: false, next_call_in: 60 };

/** The parameters that the node adds to a callback URL. */
const SEAL = ['exp', 'ref', 'iss', 'nonce', 'sig'];

/** Max Calls per Hour in the examples, as they are published here. */
const CALLS_OF_VISITORS = 60 / FEWER_CALLS;
const CALLS_OF_AGENT = 10;
/** Max Calls per Hour and Key in the form examples. */
const TRIES_OF_VISITOR = 3;

const numbersFrom = (first: number, count: number) =>
	Array.from({ length: count }, (_none, index) => `+${first + index}`);

const wrongCodes = (count: number, right: string) =>
	Array.from({ length: count + 1 }, (_none, index) => String(1_000 + index))
		.filter((code) => code !== right)
		.slice(0, count);

const prefixOf = ({ line }: InN8n) => `attack-table-${line.replace('.', '-')}`;

const callsTo = ({ emulator }: InN8n, phone: string | number) =>
	emulator.ledger.calls.filter((call) => call.phone === String(phone));

/** The attacker of each test has got past the authentication, through a server that forwards everything. */
describeLongInN8n('attacks on login-api', RINGS_AT_ONCE, (n8n) => {
	let api: LoginApi;

	const codeOf = (phone: string) => callsTo(n8n, phone)[0]?.code ?? '';

	beforeAll(async () => {
		api = await publish('login', true);
	});

	async function publish(name: string, saysReasons: boolean): Promise<LoginApi> {
		const prefix = `${prefixOf(n8n)}-${name}`;
		const change = saysReasons
			? (file: WorkflowFile) => withLongCooldown(withReasons(file))
			: withFewerCalls;
		return await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix, change });
	}

	async function guess(token: string, codes: readonly string[]): Promise<Answer[]> {
		return await postAll(
			codes.map((code) => api.post('check', { verification_token: token, code })),
			AT_ONCE,
		);
	}

	test('guess the code: five guesses are compared, and the right one comes too late', async () => {
		const phone = '79161110001';
		const token = await api.start(phone);
		const wrong = wrongCodes(20, codeOf(phone));
		const { wrongCode, tooManyAttempts, ...others } = reasonsOf(await guess(token, wrong));
		expect({ wrongCode, others }).toEqual({ wrongCode: 5, others: {} });
		expect(tooManyAttempts).toBe(wrong.length - 5);
		expect(reasonsOf(await guess(token, Array<string>(10).fill(codeOf(phone))))).toEqual({
			tooManyAttempts: 10,
		});
		// A second start returns another token for the same call, which does not help either.
		expect(reasonsOf(await guess(await api.start(phone), [codeOf(phone)]))).not.toHaveProperty(
			'verified',
		);
	});

	test('use a code again: it matches once, even if sent ten times at once', async () => {
		const phone = '79161110002';
		const token = await api.start(phone);
		const answers = reasonsOf(await guess(token, Array<string>(10).fill(codeOf(phone))));
		// Those that come while the first is being compared use up the attempts.
		const { verified, alreadyUsed = 0, tooManyAttempts = 0 } = answers;
		expect([verified, alreadyUsed + tooManyAttempts]).toEqual([1, 9]);
	});

	test('check with someone else’s call ID: refused, and none of their attempts is lost', async () => {
		const [victim, attacker] = ['79161110004', '79161110005'];
		const [theirs, own] = [await api.start(victim), await api.start(attacker)];
		const { requests } = n8n.emulator.ledger;
		const asked = requests.length;
		const id = String(callsTo(n8n, victim)[0]?.vendorId);
		for (let time = 0; time < 6; time++) {
			expect(await api.check(id, '1234')).toMatchObject({ status: 401 });
		}
		expect(requests).toHaveLength(asked);
		if (codeOf(victim) !== codeOf(attacker)) {
			expect(reasonsOf(await guess(own, [codeOf(victim)]))).toEqual({ wrongCode: 1 });
		}
		// The response names the number that was verified.
		expect(await api.check(theirs, codeOf(victim))).toMatchObject({
			json: { verified: true, phone: victim },
		});
	});

	test('let one phone ring 40 times: it rings once within a cooldown', async () => {
		const phone = '79161120000';
		const answers = await postAll(
			Array.from({ length: 40 }, () => api.post('start', { phone })),
			AT_ONCE,
		);
		expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
		expect(callsTo(n8n, phone)).toHaveLength(1);
	});

	test('call foreign or many numbers: no foreign ones, and no more than allowed per hour', async () => {
		const silent = await publish('numbers', false);
		const { calls } = n8n.emulator.ledger;
		const before = calls.length;
		const start = async (first: number, count: number) =>
			await postAll(
				numbersFrom(first, count).map((phone) => silent.post('start', { phone })),
				AT_ONCE,
			);
		const foreign = await start(447_700_900_000, 16);
		expect(calls).toHaveLength(before);
		const domestic = await start(79_162_000_000, CALLS_OF_VISITORS + 4);
		expect(calls).toHaveLength(before + CALLS_OF_VISITORS);
		// The responses do not reveal which numbers were called.
		expect(
			new Set([...foreign, ...domestic].map(({ status, text }) => `${status} ${text.length}`)),
		).toEqual(
			new Set([`200 ${JSON.stringify({ ...CALLED, verification_token: '' }).length + 99}`]),
		);
		expect(await silent.check('v1.00', '1234')).toMatchObject(REFUSED);
	});
});

describeLongInN8n('attacks on call-and-check-code', RINGS_AT_ONCE, (n8n) => {
	let example: FormExample;
	let phone = 79_161_130_000;

	const codeOfCall = () => callsTo(n8n, phone)[0]?.code ?? '';

	beforeAll(async () => {
		const prefix = `${prefixOf(n8n)}-code`;
		example = await FormExample.publish('call-and-check-code', n8n, prefix, withLongCooldown);
	});

	afterAll(async () => await example.close());

	/** A visitor who has entered the number and is asked for the code. */
	async function visit(): Promise<FormVisitor> {
		const visitor = await example.visit(`+${phone}`);
		const { title } = await visitor.nextPage();
		expect(['We are calling you now', 'We called you a moment ago']).toContain(title);
		return visitor;
	}

	/** What the visitor is told. */
	async function type(visitor: FormVisitor, code: FieldValue): Promise<string> {
		await visitor.submit(code);
		const [sentence = ''] = (await visitor.nextPage()).text.split('.');
		return sentence;
	}

	test('guess the code, in one visit and in many at once: five are compared, the right one comes too late', async () => {
		phone++;
		const patient = await visit();
		const hasty = await Promise.all(Array.from({ length: 5 }, visit));
		const others = wrongCodes(5, codeOfCall());
		const told = [
			await type(patient, [codeOfCall(), codeOfCall()]),
			...(await Promise.all(
				hasty.map(async (visitor, index) => await type(visitor, others[index] ?? '')),
			)),
			await type(patient, codeOfCall()),
			await type(await visit(), codeOfCall()),
		];
		const compared = told.filter((sentence) => /^Tries left|the last try/.test(sentence));
		expect(compared).toHaveLength(5);
		expect(told.filter((sentence) => !compared.includes(sentence))).toEqual(
			Array(3).fill('There are no tries left for this call'),
		);
		expect(example.verified).not.toContain(String(phone));
	});

	test('use a code again: it counts once, if sent ten times at once, from an older page, and after the end', async () => {
		phone++;
		const [first, visitor] = [await visit(), await visit()];
		const send = async () =>
			await visitor.submitWithin(30_000, codeOfCall()).then(() => 'accepted', String);
		const ended = async () => {
			await waitUntil(async () => (await visitor.status()) !== 'running' || undefined, {
				what: 'n8n has handled what was sent',
			});
		};
		expect(await Promise.all(Array.from({ length: 10 }, send))).toContain('accepted');
		const verified = () => example.verified.filter((contact) => contact === String(phone));
		await waitUntil(async () => verified().length > 0 || undefined, {
			what: 'the right code has counted',
		});
		expect(await type(first, codeOfCall())).toBe('Each code works only once');
		await ended();
		const again = await send();
		// The last page takes a form while nobody has seen it, and n8n 1.x may wait with one of the ten that came too late.
		if (again === 'accepted') await ended();
		else expect(again).toContain('The form was answered with');
		expect(verified()).toHaveLength(1);
	});

	test('open someone else’s page: n8n 2.x asks for its token, n8n 1.x only for the execution ID', async () => {
		phone++;
		const { page } = await visit();
		const address = `${page.origin}${page.pathname}`;
		expect(await callWebhook(address, { method: 'GET' })).toMatchObject({
			status: n8n.line === '2.x' ? 401 : 200,
		});
	});

	test('let one phone ring ten times: it rings once within a cooldown', async () => {
		phone++;
		await example.visitAll(Array<string>(10).fill(`+${phone}`));
		expect(callsTo(n8n, phone)).toHaveLength(1);
	});

	test('call foreign or many numbers: no foreign ones, and no more than allowed per hour', async () => {
		const { calls } = n8n.emulator.ledger;
		const before = calls.length;
		await example.visitAll(numbersFrom(447_700_900_000, 5));
		expect(calls.length).toBe(before);
		await example.visitAll(numbersFrom(79_162_100_000, CALLS_OF_VISITORS));
		expect(calls.length).toBe(CALLS_OF_VISITORS);
	});
});

describeLongInN8n('attacks on verify-by-inbound-call', {}, (n8n) => {
	let example: FormExample;

	beforeAll(async () => {
		const prefix = `${prefixOf(n8n)}-inbound`;
		example = await FormExample.publish('verify-by-inbound-call', n8n, prefix);
	});

	afterAll(async () => await example.close());

	/** A visitor who sees the number to call. */
	async function visit(phone: string): Promise<FormVisitor> {
		const visitor = await example.visit(`+${phone}`);
		await visitor.nextPage();
		await waitsAfter(n8n.client, example.workflowId, 'Waiting for a Call?');
		return visitor;
	}

	test('verify someone else’s number: neither the attacker’s own call nor an invented event counts', async () => {
		const { emulator } = n8n;
		const [victim, attacker] = ['79161110011', '79161110012'];
		const visitor = await visit(victim);
		await visit(attacker);
		const [awaited, own] = emulator.ledger.inboundWaits.map(
			({ callbackUrl, vendorId, phone, confirmationNumber }) => ({
				url: new URL(callbackUrl),
				event: { callId: String(vendorId), clientNumber: phone, confirmationNumber },
			}),
		);
		if (!awaited || !own) throw new Error('The service was not asked for two calls');

		// Of this URL, the page's visitor knows only the parts that n8n itself put there.
		const unsealed = new URL(awaited.url);
		const resealed = new URL(awaited.url);
		for (const name of SEAL) {
			unsealed.searchParams.delete(name);
			resealed.searchParams.set(name, own.url.searchParams.get(name) ?? '');
		}
		const attempts = [
			{ url: unsealed, event: awaited.event },
			{ url: resealed, event: awaited.event },
			{ url: awaited.url, event: own.event },
			{ url: own.url, event: awaited.event },
		];
		for (const { url: address, event } of attempts) {
			expect(await callWebhook(address.href, { body: event })).toMatchObject({ status: 401 });
		}
		// n8n 1.x never answers this.
		await callWebhook(visitor.page.href, { limit: 2_000 }).catch(() => undefined);
		expect(await emulator.callFrom(attacker)).toMatchObject({ status: 200 });
		expect(await emulator.callFrom(attacker)).toBeUndefined();
		await waitUntil(async () => example.verified.length > 0 || undefined, {
			what: 'the attacker’s own phone is verified',
		});
		expect(example.verified).toEqual([attacker]);
		expect(await visitor.status()).toBe('waiting');
	});

	test('let the victim’s own call verify the attacker’s page: only the page whose number was called counts', async () => {
		const { ledger } = n8n.emulator;
		const phone = '79161110013';
		const before = example.verified.length;
		const [victim, attacker] = [await visit(phone), await visit(phone)];
		const [victims, attackers] = ledger.inboundWaits.slice(-2);
		if (!victims || !attackers) throw new Error('The service was not asked for two calls');

		// The service reports the victim's call to whoever asked last.
		const { confirmationNumber } = victims;
		const stolen = { ...webhookPayload(attackers), confirmationNumber };
		expect(await callWebhook(attackers.callbackUrl, { body: stolen })).toMatchObject({
			status: 409,
		});
		expect(await victim.status()).toBe('waiting');
		expect(await attacker.status()).toBe('waiting');
		expect(example.verified).toHaveLength(before);
	});

	test('request foreign or many numbers: no foreign ones, and no more than allowed per hour', async () => {
		const { inboundWaits } = n8n.emulator.ledger;
		const before = inboundWaits.length;
		await example.visitAll(numbersFrom(447_700_900_000, 5));
		expect(inboundWaits.length).toBe(before);
		await example.visitAll(numbersFrom(79_162_200_000, CALLS_OF_VISITORS));
		expect(inboundWaits.length).toBe(CALLS_OF_VISITORS);
	});
});

describeLongInN8n('attacks on the form of', {}, (n8n) => {
	// Forms of n8n 1.x do not show their headers: there, only the limit per hour holds.
	test.each(['call-and-check-code', 'verify-by-inbound-call'] as const)(
		'%s: use up everybody’s tries from one address: it gets three, and others still get theirs (n8n 2.x)',
		async (name) => {
			const example = await FormExample.publish(name, n8n, `${prefixOf(n8n)}-use-up-${name}`);
			const { calls, inboundWaits } = n8n.emulator.ledger;
			const before = calls.length + inboundWaits.length;
			await example.visitAll(numbersFrom(79_162_300_000, CALLS_OF_VISITORS), '203.0.113.7');
			const isLimited = n8n.line === '2.x';
			expect(calls.length + inboundWaits.length - before).toBe(
				isLimited ? TRIES_OF_VISITOR : CALLS_OF_VISITORS,
			);
			const other = await example.visit('+79162300099', '203.0.113.8');
			const { title } = await other.nextPage();
			expect(title === 'We cannot verify you right now').toBe(!isLimited);
			await example.close();
		},
	);
});

describeLongInN8n('attacks on ai-agent, once its chat is public,', RINGS_AT_ONCE, (n8n) => {
	let model: ModelStandIn;
	let credential: Credential;
	let say: (text: string) => Promise<void>;
	const script: Turn[] = [];

	beforeAll(async () => {
		const prefix = prefixOf(n8n);
		model = await startModelStandIn(script);
		credential = await createModelCredential(n8n.client, model, `Model of ${prefix}`);
		const { file } = await publishExample(
			'ai-agent',
			`${prefix}-agent`,
			n8n,
			{ openAiApi: credential },
			(example) => withParameters(example, 'Chat', { public: true, mode: 'webhook' }),
		);
		const chat = file.nodes.find(({ name }) => name === 'Chat')?.webhookId ?? '';
		const address = productionUrl(n8n.url, `${chat}/chat`);
		say = async (chatInput) => {
			const body = { action: 'sendMessage', sessionId: prefix, chatInput };
			const done = { status: 200, json: { output: 'Done.' } };
			expect(await callWebhook(address, { body })).toMatchObject(done);
		};
	});

	afterAll(async () => {
		await n8n.client.credentials.delete(credential);
		await model.close();
	});

	test('23 guesses in one message: five are compared, the right one comes too late', async () => {
		const phone = '79161110007';
		script.push({ tool: 'Call_With_Code', arguments: { phone } }, { say: 'Done.' });
		await say('Call me.');
		const answers = model.toolAnswers();
		const [token = answers.join()] = /v1\.[0-9a-f]{96}/.exec(answers.join()) ?? [];
		expect(token).toMatch(/^v1\./);
		const code = n8n.emulator.ledger.calls[0]?.code ?? '';
		// The right code is in the middle: n8n 1.x handles the tool calls of a message from last to first.
		const guesses = Array.from({ length: 23 }, (_none, index) =>
			index === 11 ? code : String(1_000 + index),
		);
		script.push(
			{
				tools: guesses.map((typed) => ({
					tool: 'Check_Code',
					arguments: { verification_token: token, code: typed },
				})),
			},
			{ say: 'Done.' },
		);
		await say('Guess.');
		const verdicts = model.toolAnswers().slice(-guesses.length).join('\n');
		expect(verdicts.match(/"reason":"wrongCode"/g)).toHaveLength(5);
		expect(verdicts.match(/"reason":"tooManyAttempts"/g)).toHaveLength(18);
		expect(verdicts).not.toContain('"matched":true');
	});

	test('30 numbers in one message: no more calls than the hour allows', async () => {
		const phones = Array.from({ length: 30 }, (_none, index) => `${79_163_000_000 + index}`);
		script.push(
			{ tools: phones.map((phone) => ({ tool: 'Call_With_Code', arguments: { phone } })) },
			{ say: 'Done.' },
		);
		await say('Call them all.');
		expect(n8n.emulator.ledger.calls).toHaveLength(CALLS_OF_AGENT);
	});
});

describeLongInN8n('attacks on', {}, (n8n) => {
	test.each(['on-inbound-call', 'on-inbound-call-postgres'])(
		'%s: own phone for someone else’s contact: the server names the contact, and the seal keeps it',
		async (name) => {
			const { client, emulator } = n8n;
			const prefix = `${prefixOf(n8n)}-${name}`;
			const site = await createSiteCredential(client, `Site of ${prefix}`);
			// Nothing reaches the database, but n8n does not publish a workflow that lacks a credential.
			const login = { host: '127.0.0.1', database: '', user: '', password: '' };
			const postgres = await client.credentials.create(`Database of ${prefix}`, 'postgres', login);
			const { file } = await publishExample(name, prefix, n8n, { ...site, postgres });
			const address = productionUrl(n8n.url, parameterOf(file, 'Request', 'path'));
			const phone = '79161110008';
			const ask = async (contact: string, headers: Readonly<Record<string, string>>) =>
				await callWebhook(address, { body: { phone, contact }, headers });
			const before = emulator.ledger.inboundWaits.length;

			expect(await ask('victim', NO_HEADERS)).toMatchObject({ status: 401 });
			expect(await ask('victim', siteHeaders('guessed'))).toMatchObject({ status: 403 });
			expect(emulator.ledger.inboundWaits).toHaveLength(before);

			// The server makes the request for the attacker, who then changes the contact in the URL.
			expect(await ask('attacker', siteHeaders())).toMatchObject({ status: 200 });
			const wait = emulator.ledger.inboundWaits.at(-1);
			expect(wait?.callbackUrl).toContain('attacker');
			const changed = String(wait?.callbackUrl).replace('attacker', 'victim');
			const event = { callId: String(wait?.vendorId), clientNumber: phone };
			expect(await callWebhook(changed, { body: event })).toMatchObject({ status: 401 });
		},
	);
});
