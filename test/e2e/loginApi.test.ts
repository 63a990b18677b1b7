import { ALWAYS_FAILS } from '../../emulator/testNumbers';
import { waitUntil, type WebhookAnswer } from '../../harness';
import { describeInN8n } from './inN8n';
import { LoginApi } from '../../harness/workflows/loginApi';
import { bearer, SITE_SECRET, siteHeaders } from '../../harness/workflows/siteRequests';
import { asPasted, withoutSavedSuccesses } from '../../harness/workflows/publishedExample';
import { withinOneSlot } from '../../harness/workflows/slots';
import { nodesThatStore, secretsIn, storedExecutions, storedFiles } from './storedExecutions';

const TOKEN = /^\{"verification_token":"v1\.[0-9a-f]{96}","exists":(true|false)\}$/;
const WEEK = 7 * 24 * 60 * 60 * 1_000;
/** Cooldown per Number in the example. */
const COOLDOWN_MINUTES = 10;
const REFUSED = { status: 401, text: '{"verified":false}' };

describeInN8n('login-api', { callResultAfterMs: 0 }, (n8n) => {
	const prefix = `login-api-${n8n.line.replace('.', '-')}`;
	let api: LoginApi;
	let people = 0;

	/** In the countries that the example calls. */
	const somebody = () => `7916100${String(++people).padStart(4, '0')}`;
	const callsTo = (phone: string) =>
		n8n.emulator.ledger.calls.filter((call) => call.phone === phone);
	const codeOf = (phone: string) => callsTo(phone)[0]?.code ?? '';
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
			expect.objectContaining({ exists: false }),
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
				'{"phone": "my phone", "visitor": "a"}',
				'{"phone": "0916 123-45-67", "visitor": "a"}',
				`{"phone": "${'7'.repeat(100_000)}", "visitor": "a"}`,
				'{"phone": "79161234567"}',
				'{"phone": "79161234567", "visitor": " "}',
				'{"phone": "79161234567", "visitor": {"a": 1}}',
				`{"phone": "79161234567", "visitor": "${'a'.repeat(100_000)}"}`,
			],
			check: [
				'{}',
				'{"verification_token": "v1.00"}',
				'{"verification_token": ["v1.00"], "code": "1234"}',
				'{"verification_token": "v1.00", "code": 1234}',
				`{"verification_token": "v1.00", "code": "${'1'.repeat(100_000)}"}`,
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

	test('calls five numbers an hour for a visitor, and leaves the others theirs', async () => {
		const before = n8n.emulator.ledger.calls.length;
		const start = async (visitor: string) =>
			await api.send('start', { phone: somebody(), visitor });
		const answers = [];
		for (let time = 0; time < 7; time++) answers.push(await start('203.0.113.7'));
		expect(n8n.emulator.ledger.calls).toHaveLength(before + 5);
		answers.push(await start('203.0.113.8'));
		expect(n8n.emulator.ledger.calls).toHaveLength(before + 6);
		expect(answers.filter(({ text }) => !TOKEN.test(text))).toEqual([]);
	});

	test('tells the owner once an hour, and nobody else, when the service refuses, and stores no secret', async () => {
		const rule = n8n.emulator.faults.add({ kind: 'errorCode', code: 401, message: 'Key?' });
		try {
			for (let time = 0; time < 3; time++) {
				expect((await api.send('start', { phone: somebody() })).text).toMatch(TOKEN);
			}
		} finally {
			n8n.emulator.faults.remove(rule);
		}
		// All other executions are deleted when they have ended.
		const stored = await waitUntil(
			async () => {
				const found = await n8n.client.executions.list(api.workflowId);
				if (found.some(({ status }) => status !== 'error')) return undefined;
				const texts = await Promise.all(
					found.map(async ({ id }) => JSON.stringify(await n8n.client.executions.get(id))),
				);
				return texts.some((text) => text.includes('Key?')) ? texts : undefined;
			},
			{ what: 'only alarms are stored', limit: 60_000 },
		);
		// Two if an hour has ended meanwhile.
		expect([1, 2]).toContain(stored.filter((text) => text.includes('Key?')).length);
		expect(stored.join()).not.toContain(SITE_SECRET);
		expect(stored.join()).not.toMatch(/7916100/);
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
		]);
		expect(await pasted.check(token, codeOf(phone))).toMatchObject(REFUSED);

		await storedExecutions(n8n.client, stepped.workflowId, 0);
	});
});
