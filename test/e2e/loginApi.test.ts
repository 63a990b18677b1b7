import { ALWAYS_FAILS } from '../../emulator/service/numbers';
import { webhookPayload } from '../../emulator/people/inboundCalls';
import { callWebhook, waitUntil, type WebhookAnswer, withParameters } from '../../harness';
import { describeLongInN8n } from './inN8n';
import { withinOneSlot } from '../../harness/process/waitUntil';
import { LoginApi, type NumberToCall, withCallOptions } from '../../harness/workflows/loginApi';
import { bearer, SITE_SECRET, siteHeaders } from '../../harness/workflows/siteRequests';
import {
	asPasted,
	withoutSavedSuccesses,
	withSavedExecutions,
} from '../../harness/workflows/examples';
import { waitsAfter } from './waitsAfter';
import { nodesThatStore, secretsIn, storedExecutions, storedFiles } from './storedExecutions';

const TOKEN =
	/^\{"verification_token":"v1\.[0-9a-f]{96}","show":"(digits|spoken)","exists":(true|false),"next_call_in":\d+\}$/;
const ONE_SECOND = 1_000;
const WEEK = 7 * 24 * 60 * 60 * 1_000;
/** Cooldown per Number in the example. */
const COOLDOWN_MINUTES = 1;
const REFUSED = { status: 401, text: '{"verified":false}' };

describeLongInN8n('login-api', { callResultAfterMs: 0 }, (n8n) => {
	const prefix = `login-api-${n8n.line.replace('.', '-')}`;
	let api: LoginApi;
	let people = 0;

	/** In the countries that the example calls. */
	const somebody = () => `7916100${String(++people).padStart(4, '0')}`;
	const callsTo = (phone: string) =>
		n8n.emulator.ledger.calls.filter((call) => call.phone === phone);
	const codeOf = (phone: string) => callsTo(phone)[0]?.code ?? '';
	/** Apart from executions that wait for a call. */
	const storedBy = async ({ workflowId }: LoginApi) =>
		(await n8n.client.executions.list(workflowId)).filter(({ status }) => status !== 'waiting');
	const another = (code: string) => (code === '1234' ? '4321' : '1234');

	beforeAll(async () => {
		api = await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix });
	});

	test('answers alike whatever happens to the call, and reveals nothing about it', async () => {
		const { faults, ledger, secretKey } = n8n.emulator;
		const start = async (to: string) => await api.send('start', { phone: to });
		const { phone, twice } = await withinOneSlot(COOLDOWN_MINUTES, async () => {
			const called = somebody();
			return { phone: called, twice: [await start(called), await start(called)] };
		});
		expect(callsTo(phone)).toHaveLength(1);
		// Only this tells the site whether to wait for a call or to use the last code.
		expect(twice.map(({ json }) => json)).toEqual([
			expect.objectContaining({ exists: false, next_call_in: COOLDOWN_MINUTES * 60 }),
			expect.objectContaining({ exists: true }),
		]);
		const [first] = twice;
		if (first === undefined) throw new Error('There is no first answer');
		const answers = [first, await start('+44 7700 900123'), await start(ALWAYS_FAILS)];
		const rule = faults.add({ kind: 'errorCode', code: 400, message: 'No such subscriber' });
		answers.push(await start(somebody()));
		faults.remove(rule);

		const shape = ({ status, headers, text }: WebhookAnswer) => ({
			status,
			headers: { ...headers, date: '', etag: '' },
			isToken: TOKEN.test(text),
		});
		const [called, ...others] = answers.map(shape);
		expect(called).toMatchObject({ status: 200, isToken: true });
		expect(others).toEqual(others.map(() => called));
		const said = [...twice, ...answers].map(({ text }) => text).join();
		for (const { code, vendorId } of ledger.calls) {
			expect(said).not.toContain(`"${code}"`);
			expect(said).not.toContain(String(vendorId));
		}
		expect(said).not.toContain(secretKey);
	});

	test('gives the same answer to every code that does not count', async () => {
		const { emulator } = n8n;
		const [fresh, used, failed] = [somebody(), somebody(), ALWAYS_FAILS];
		const tokenOfUsed = await api.start(used);
		await api.check(tokenOfUsed, codeOf(used));
		const tokenOfFailed = await api.start(failed);
		emulator.setNow(Date.now() - WEEK);
		const old = somebody();
		const tokenOfOld = await api.start(old);
		emulator.setNow(Date.now());
		const token = await api.start(fresh);
		const foreign = await api.start('+44 7700 900124');

		const answers = [
			await api.check(token, another(codeOf(fresh))),
			await api.check(token, '12'),
			await api.check(token, 'let me in'),
			await api.check(tokenOfUsed, codeOf(used)),
			await api.check(tokenOfFailed, codeOf(failed)),
			await api.check(tokenOfOld, codeOf(old)),
			await api.check(foreign, '1234'),
			await api.check(`${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`, codeOf(fresh)),
			await api.check(String(callsTo(fresh)[0]?.vendorId), codeOf(fresh)),
			await api.check('no token', codeOf(fresh)),
		];
		expect(answers.map(({ status, text }) => ({ status, text }))).toEqual(
			answers.map(() => REFUSED),
		);
	});

	test('answers no sooner than after a second, whatever happens to the call or the code', async () => {
		const { faults } = n8n.emulator;
		const times: Record<string, number> = {};
		const timed = async (what: string, answer: () => Promise<WebhookAnswer>) => {
			const sentAt = performance.now();
			const given = await answer();
			times[what] = performance.now() - sentAt;
			return given;
		};
		const start = async (phone: string) => await api.send('start', { phone });
		const phone = somebody();
		await timed('called', async () => await start(phone));
		await timed('perhaps called before', async () => await start(phone));
		await timed('not served', async () => await start('+44 7700 900125'));
		await timed('cannot be reached', async () => await start(ALWAYS_FAILS));
		const rule = faults.add({ kind: 'errorCode', code: 400, message: 'No such subscriber' });
		await timed('refused', async () => await start(somebody()));
		faults.remove(rule);

		const other = somebody();
		const token = await api.start(other);
		const foreign = await api.start('+44 7700 900126');
		const answers = [
			await timed('wrong code', async () => await api.check(token, another(codeOf(other)))),
			await timed('token of nobody', async () => await api.check(foreign, '1234')),
			await timed('invalid token', async () => await api.check('no token', '1234')),
			await timed('no code', async () => await api.check(token, 'let me in')),
		];
		expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
		expect(Object.keys(times)).toHaveLength(9);
		expect(Object.entries(times).filter(([, time]) => time < ONE_SECOND)).toEqual([]);
	});

	test('accepts a number however it is written, and says if it is none', async () => {
		const phone = somebody();
		const [area, line] = [phone.slice(1, 4), phone.slice(4)];
		const writings = [
			`+7 (${area}) ${line.slice(0, 3)}-${line.slice(3, 5)}-${line.slice(5)}`,
			`8 ${area} ${line}`,
			`007${area}${line}`,
			`${area}\u00a0${line.slice(0, 3)}\u2011${line.slice(3)}`,
			`tel:+7${area}${line}`,
		];
		await withinOneSlot(COOLDOWN_MINUTES, async () => {
			for (const written of writings) {
				const answer = await api.send('start', { phone: written, visitor: 'writer' });
				expect({ written, text: answer.text }).toEqual({
					written,
					text: expect.stringMatching(TOKEN) as unknown,
				});
			}
		});
		const called = new Set(n8n.emulator.ledger.calls.map((call) => call.phone));
		expect([...called].filter((number) => number.endsWith(line))).toEqual([phone]);

		const { requests } = n8n.emulator.ledger;
		const sent = requests.length;
		const noNumbers = ['my phone', '916', '0916 123-45-67', '+7 916 123-45-678', '7'.repeat(40)];
		for (const way of ['call', 'voice', 'inbound']) {
			for (const written of noNumbers) {
				const { status, json } = await api.send('start', { phone: written, way });
				expect({ way, written, status, json }).toEqual({
					way,
					written,
					status: 400,
					json: { refused: 'phone' },
				});
			}
		}
		expect(requests).toHaveLength(sent);
	});

	test('refuses malformed requests, and sends nothing', async () => {
		const bodies = {
			start: [
				'{}',
				'[]',
				'null',
				'[{"phone": "79161234567", "visitor": "a"}]',
				'{"phone": {"a": 1}, "visitor": "a"}',
				'{"phone": ["79161234567"], "visitor": "a"}',
				'{"phone": 79161234567, "visitor": "a"}',
				'{"phone": " ", "visitor": "a"}',
				`{"phone": "${'7'.repeat(60)}", "visitor": "a"}`,
				`{"phone": "${'7'.repeat(100_000)}", "visitor": "a"}`,
				'{"phone": "79161234567"}',
				'{"phone": "79161234567", "visitor": " "}',
				'{"phone": "79161234567", "visitor": {"a": 1}}',
				`{"phone": "79161234567", "visitor": "${'a'.repeat(200)}"}`,
				`{"phone": "79161234567", "visitor": "${'a'.repeat(100_000)}"}`,
				'{"phone": "79161234567", "visitor": "a", "way": "mix"}',
				'{"phone": "79161234567", "visitor": "a", "way": null}',
				'{"phone": "79161234567", "visitor": "a", "way": ["inbound"]}',
				'{"phone": "79161234567", "visitor": "a", "way": {"toString": "inbound"}}',
				'{"phone": {"toString": 1}, "visitor": "a"}',
				'{"phone": "79161234567", "visitor": {"toString": 1}}',
				'{"__proto__": {"phone": "79161234567", "visitor": "a"}}',
			],
			check: [
				'{}',
				'{"verification_token": "v1.00"}',
				'{"verification_token": " ", "code": "1234"}',
				'{"verification_token": "v1.00", "code": " "}',
				'{"verification_token": ["v1.00"], "code": "1234"}',
				'{"verification_token": "v1.00", "code": 1234}',
				'{"verification_token": "v1.00", "code": {"toString": 1}}',
				'{"verification_token": {"toString": 1}, "code": "1234"}',
				`{"verification_token": "v1.00", "code": "${'1'.repeat(200)}"}`,
				`{"verification_token": "v1.00", "code": "${'1'.repeat(100_000)}"}`,
				`{"verification_token": "v1.${'0'.repeat(197)}", "code": "1234"}`,
			],
		};
		const asked = n8n.emulator.ledger.requests.length;
		for (const webhook of ['start', 'check'] as const) {
			for (const body of bodies[webhook]) {
				const { status, json } = await api.send(webhook, body);
				const error: unknown = expect.stringContaining('Send JSON');
				const sent = body.slice(0, 60);
				expect({ webhook, sent, status, json }).toEqual({
					webhook,
					sent,
					status: 400,
					json: { error },
				});
			}
		}
		// What any web page can make its visitors' browsers send without a preflight request.
		const form = { ...siteHeaders(), 'content-type': 'application/x-www-form-urlencoded; json' };
		const posted = `phone=${somebody()}&visitor=a&verification_token=v1.00&code=1234`;
		for (const webhook of ['start', 'check'] as const) {
			expect(await api.send(webhook, posted, form)).toMatchObject({ status: 400 });
		}
		expect(n8n.emulator.ledger.requests).toHaveLength(asked);
	});

	test('refuses everyone without a fresh token of the site', async () => {
		const phone = somebody();
		const now = Math.floor(Date.now() / 1_000);
		const soon = { exp: now + 60 };
		const strangers: Array<[status: number, headers: Readonly<Record<string, string>>]> = [
			[401, {}],
			[403, siteHeaders('guessed')],
			[403, bearer({ exp: now - 1 })],
			[403, bearer(soon, { alg: 'none' })],
			[403, bearer(soon, { alg: 'HS512' })],
			// n8n accepts these, and stores them with a saved execution, so the workflow does not.
			[400, bearer({})],
			[400, bearer({ exp: now + 3_600 })],
		];
		for (const [status, headers] of strangers) {
			const code = { verification_token: 'v1.00', code: '1234' };
			const statuses = [
				(await api.send('start', { phone }, headers)).status,
				(await api.send('check', code, headers)).status,
			];
			expect({ headers, statuses }).toEqual({ headers, statuses: [status, status] });
		}
		expect(callsTo(phone)).toEqual([]);
		expect(await api.send('start', { phone })).toMatchObject({ status: 200 });
	});

	test('calls three numbers an hour for a visitor, then says so, and leaves the others theirs', async () => {
		const before = n8n.emulator.ledger.calls.length;
		const start = async (visitor: string, way: string) =>
			await api.send('start', { phone: somebody(), visitor, way });
		const answers = [];
		for (const way of ['call', 'voice', 'call', 'voice', 'call']) {
			answers.push(await start('203.0.113.7', way));
		}
		expect(n8n.emulator.ledger.calls).toHaveLength(before + 3);
		answers.push(await start('203.0.113.8', 'call'));
		expect(n8n.emulator.ledger.calls).toHaveLength(before + 4);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 200]);
		expect(answers[3]?.json).toEqual({ refused: 'limit' });

		const { inboundWaits } = n8n.emulator.ledger;
		const waits = inboundWaits.length;
		const numbers = [];
		for (let time = 0; time < 4; time++) numbers.push(await start('203.0.113.7', 'inbound'));
		expect(numbers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
		expect(inboundWaits).toHaveLength(waits + 3);
	});

	test('calls by another way at once, and twice by none of them', async () => {
		const phone = await withinOneSlot(COOLDOWN_MINUTES, async () => {
			const called = somebody();
			for (const way of ['call', 'voice', 'voice', 'call', undefined]) {
				const { text } = await api.send('start', { phone: called, way, visitor: `by ${way}` });
				expect(text).toMatch(TOKEN);
			}
			return called;
		});
		expect(callsTo(phone).map(({ variant }) => variant)).toEqual(['call', 'voice']);
	});

	test('rings a phone five times a day, by whatever way, visitor and spelling, and lets its owner call', async () => {
		const eager = await LoginApi.publish({
			...n8n,
			urls: [n8n.url],
			prefix: `${prefix}-eager`,
			change: withCallOptions({ cooldown: 0 }),
		});
		const phone = somebody();
		const spellings = [`+${phone}`, `8${phone.slice(1)}`, `00${phone}`, phone.slice(1)];
		for (let time = 0; time < 12; time++) {
			const { text } = await eager.send('start', {
				phone: spellings[time % 4],
				way: time % 3 === 0 ? 'voice' : 'call',
				visitor: `203.0.113.${time}`,
			});
			// The response does not tell that nobody was called.
			expect(text).toMatch(TOKEN);
			expect(text).toContain('"exists":false');
		}
		expect(callsTo(phone)).toHaveLength(5);
		expect(await eager.numberToCall(phone)).toMatchObject({ show: 'number' });
	});

	/** Sends starts that fail until the first alarm is stored, and then `later`; returns all alarms, as JSON. */
	async function alarmsOf(
		failing: LoginApi,
		reason: string,
		waves: { readonly first: number; readonly later: readonly number[] },
	): Promise<{ readonly alarms: string[]; readonly hours: number }> {
		const hour = () => new Date().toISOString().slice(0, 13);
		const begun = hour();
		const startAtOnce = async (count: number) => {
			const starts = Array.from({ length: count }, async () => {
				expect((await failing.send('start', { phone: somebody() })).text).toMatch(TOKEN);
			});
			await Promise.all(starts);
		};
		const alarmsIn = async (heads: Awaited<ReturnType<typeof storedBy>>) => {
			const failed = heads.filter(({ status }) => status === 'error');
			const texts = failed.map(async ({ id }) =>
				JSON.stringify(await n8n.client.executions.get(id)),
			);
			return (await Promise.all(texts)).filter((text) => text.includes(reason));
		};
		await startAtOnce(waves.first);
		await waitUntil(async () => (await alarmsIn(await storedBy(failing))).length > 0 || undefined, {
			what: 'the first alarm is stored',
		});
		for (const count of waves.later) await startAtOnce(count);
		// All other executions are deleted when they have ended.
		const alarms = await waitUntil(
			async () => {
				const stored = await storedBy(failing);
				return stored.every(({ status }) => status === 'error')
					? await alarmsIn(stored)
					: undefined;
			},
			{ what: 'only alarms are stored' },
		);
		return { alarms, hours: hour() === begun ? 1 : 2 };
	}

	test('tells the owner once an hour, and nobody else, when the service refuses, and stores no secret', async () => {
		const rule = n8n.emulator.faults.add({ kind: 'errorCode', code: 401, message: 'Key?' });
		try {
			const { alarms, hours } = await alarmsOf(api, 'Key?', { first: 1, later: [1, 1] });
			expect(alarms.length).toBeLessThanOrEqual(hours);
			expect(alarms.join()).not.toContain(SITE_SECRET);
			expect(alarms.join()).not.toMatch(/7916100/);
		} finally {
			n8n.emulator.faults.remove(rule);
		}
	});

	test('tells the owner once an hour in an outage, however many requests fail', async () => {
		const impatient = { requestOptions: { giveUpAfter: 2, timeout: 1 } };
		const outage = await LoginApi.publish({
			...n8n,
			urls: [n8n.url],
			prefix: `${prefix}-outage`,
			change: (file) => withParameters(file, 'Call', impatient),
		});
		const rule = n8n.emulator.faults.add({ kind: 'httpStatus', status: 503 });
		const atOnce = 4;
		try {
			// One after another, because the error says since when.
			const waves = { first: atOnce, later: [atOnce, atOnce] };
			const { alarms, hours } = await alarmsOf(outage, 'gave up', waves);
			// n8n compares errors without a lock: those of one moment may all raise an alarm if the machine stands still.
			expect(alarms.length).toBeLessThanOrEqual(atOnce * hours);
		} finally {
			n8n.emulator.faults.remove(rule);
		}
	});

	test('pasted, stores numbers and codes, but nothing that works again; after the step in its note, no successful execution', async () => {
		const publish = async (purpose: string, change: typeof asPasted) =>
			await LoginApi.publish({
				...n8n,
				urls: [n8n.url],
				prefix: `${prefix}-${purpose}`,
				change,
			});
		const pasted = await publish('pasted', asPasted);
		const stepped = await publish('stepped', (file) => withoutSavedSuccesses(asPasted(file)));
		const phone = somebody();
		const token = await pasted.start(phone);
		expect(await pasted.check(token, codeOf(phone))).toMatchObject({ status: 200 });
		const other = somebody();
		const otherToken = await stepped.start(other);
		expect(await stepped.check(otherToken, codeOf(other))).toMatchObject({ status: 200 });

		const stored = await storedExecutions(n8n.client, pasted.workflowId, 2);
		expect(secretsIn(stored, { SITE_SECRET, secretKey: n8n.emulator.secretKey })).toEqual([]);
		const files = await storedFiles(n8n.userFolder);
		expect(files.some((file) => file.includes(phone))).toBe(true);
		expect(files.some((file) => file.includes(SITE_SECRET))).toBe(false);
		expect(nodesThatStore(stored, 'authorization')).toEqual(['Check', 'Start']);
		// The service shows it masked to Call.
		expect(nodesThatStore(stored, phone)).toEqual([
			'Check Code',
			'Is It a Number?',
			'Is It the Code?',
			'Phone and Visitor',
			'Start',
			'Verified',
			'Which Way?',
		]);
		expect(await pasted.check(token, codeOf(phone))).toMatchObject(REFUSED);

		await storedExecutions(n8n.client, stepped.workflowId, 0);
	});

	describe('if the person calls', () => {
		/** Once n8n waits for the call. */
		async function numberFor(phone: string, of = api): Promise<NumberToCall> {
			const shown = await of.numberToCall(phone);
			await waitsAfter(n8n.client, of.workflowId, 'Number and Token');
			return shown;
		}

		const isVerified = (answer: WebhookAnswer | undefined) => answer?.status === 200;

		test('shows a number with a link, and verifies the phone that called, once', async () => {
			const phone = somebody();
			const shown = await numberFor(phone);
			const stored = async () =>
				(await n8n.client.executions.list(api.workflowId)).map(({ id }) => id);
			const [execution] = await stored();
			const wait = n8n.emulator.ledger.inboundWaits.at(-1);
			expect(shown.tel).toBe(`tel:+${wait?.confirmationNumber}`);
			expect(shown.number.replace(/ /g, '')).toBe(`+${wait?.confirmationNumber}`);
			expect(isVerified(await api.status(shown))).toBe(false);

			expect(await n8n.emulator.callFrom(phone)).toMatchObject({ status: 200 });
			expect(await api.verifiedBy(shown)).toEqual({ verified: true, phone });
			expect(isVerified(await api.status(shown))).toBe(false);
			expect(await api.check(shown.verification_token, '1234')).toMatchObject(REFUSED);
			await waitUntil(async () => !(await stored()).includes(execution ?? '') || undefined, {
				what: 'the execution that waited is deleted',
			});
		});

		test('verifies once, if ten requests ask at once; n8n 1.x may tell several of them', async () => {
			const phone = somebody();
			const shown = await numberFor(phone);
			await n8n.emulator.callFrom(phone);
			await waitsAfter(n8n.client, api.workflowId, 'Has Called?');
			const answers = await Promise.all(
				Array.from({ length: 10 }, async () => await api.status(shown)),
			);
			const told = answers.filter(isVerified).length;
			expect(told).toBeGreaterThanOrEqual(1);
			// n8n 1.x resumes an execution for each request that comes before the first has been noted.
			if (n8n.line === '2.x') expect(told).toBe(1);
			expect(isVerified(await api.status(shown))).toBe(false);
		});

		test('tells nobody else, and leaves the page its verification', async () => {
			const [phone, attacker] = [somebody(), somebody()];
			const [theirs, own] = [await numberFor(phone), await numberFor(attacker)];
			await n8n.emulator.callFrom(phone);
			await waitUntil(
				async () => {
					const attempts = [
						// Their address, with a token of the attacker's own page, or with none.
						await api.status({ ...theirs, verification_token: own.verification_token }),
						await api.status({ ...theirs, verification_token: '' }),
						await api.status(theirs, {}),
						await api.status(theirs, siteHeaders('guessed')),
						await api.status(theirs, bearer({ exp: Math.floor(Date.now() / 1_000) + 3_600 })),
						// What any web page can make its visitors' browsers send.
						await callWebhook(theirs.status_url, {
							body: `verification_token=${theirs.verification_token}`,
							headers: { ...siteHeaders(), 'content-type': 'application/x-www-form-urlencoded' },
							limit: 3_000,
						}).catch(() => undefined),
						// The attacker's own page, with the token of the victim's.
						await api.status({ ...own, verification_token: theirs.verification_token }),
						await api.status(own),
					];
					expect(attempts.filter(isVerified)).toEqual([]);
					expect(attempts.filter((answer) => answer?.text.includes(phone))).toEqual([]);
					// Once they reach the node that waits for the page.
					return attempts[0]?.status === 401 || undefined;
				},
				{ what: 'another page is refused' },
			);
			expect(await api.verifiedBy(theirs)).toEqual({ verified: true, phone });
		});

		test('does not verify the page of another for a call to the number that the victim’s page shows', async () => {
			const phone = somebody();
			const [victim, attacker] = [await numberFor(phone), await numberFor(phone)];
			const [victims, attackers] = n8n.emulator.ledger.inboundWaits.slice(-2);
			if (!victims || !attackers) throw new Error('The service was not asked for two calls');
			// The service reports the victim's call to whoever asked last.
			const { confirmationNumber } = victims;
			const stolen = { ...webhookPayload(attackers), confirmationNumber };
			const { status } = await callWebhook(attackers.callbackUrl, { body: stolen });
			expect(status).toBe(409);
			expect(isVerified(await api.status(attacker))).toBe(false);
			expect(isVerified(await api.status(victim))).toBe(false);
		});

		test('asking for the status starts nothing, and stores nothing', async () => {
			const saving = await LoginApi.publish({
				...n8n,
				urls: [n8n.url],
				prefix: `${prefix}-status`,
				change: withSavedExecutions,
			});
			const shown = await numberFor(somebody(), saving);
			const asked = n8n.emulator.ledger.requests.length;
			const answers = await Promise.all(
				Array.from({ length: 50 }, async () => await saving.status(shown)),
			);
			expect(answers.filter(isVerified)).toEqual([]);
			expect(n8n.emulator.ledger.requests).toHaveLength(asked);
			const stored = await n8n.client.executions.list(saving.workflowId);
			expect(stored.map(({ status }) => status)).toEqual(['waiting']);
		});

		test('says that a number is not served, or that the service is down, because it has none to show', async () => {
			const ask = async (phone: string) => await api.send('start', { phone, way: 'inbound' });
			expect(await ask('+44 7700 900123')).toMatchObject({
				status: 400,
				json: { refused: 'phone' },
			});
			const rule = n8n.emulator.faults.add({ kind: 'errorCode', code: 401, message: 'Closed' });
			const answer = await ask(somebody());
			n8n.emulator.faults.remove(rule);
			expect(answer).toMatchObject({ status: 503, json: { refused: 'later' } });
		});
	});
});
