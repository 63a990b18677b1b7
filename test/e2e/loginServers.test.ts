import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callWebhook, waitUntil, type WebhookAnswer } from '../../harness';
import { LoginApi } from '../../harness/workflows/loginApi';
import { SITE_SECRET } from '../../harness/workflows/siteRequests';
import { describeInN8n } from './inN8n';
import { blockOf, php, type Site, startSite } from './loginSite';
import { waitsAfter } from './waitsAfter';

const run = promisify(execFile);
const JSON_TYPE = { 'content-type': 'application/json' };

/** A visitor's browser, as far as a server notices: it keeps its cookie. */
class Visitor {
	private cookie = '';

	constructor(private readonly site: Site) {}

	async post(path: string, body: object): Promise<unknown> {
		return (await this.send(path, JSON.stringify(body), JSON_TYPE)).json;
	}

	async send(
		path: string,
		body: string,
		headers: Readonly<Record<string, string>>,
	): Promise<WebhookAnswer> {
		return await this.keepCookie(
			await callWebhook(`${this.site.url}${path}`, {
				body,
				headers: { ...headers, cookie: this.cookie },
			}),
		);
	}

	async home(): Promise<string> {
		const headers = { cookie: this.cookie };
		return (await callWebhook(this.site.url, { method: 'GET', headers })).text;
	}

	private async keepCookie(answer: WebhookAnswer): Promise<WebhookAnswer> {
		// PHP sends its cookie twice when it renews the session: the last one counts.
		const set = answer.headers['set-cookie']?.split(/, (?=\w+=)/).at(-1);
		if (set !== undefined) this.cookie = set.split(';')[0] ?? '';
		return answer;
	}
}

describeInN8n('a login server of the documentation', { callResultAfterMs: 0 }, (n8n) => {
	let api: LoginApi;
	let folder: string;
	let people = 0;

	const somebody = () => `7916300${String(++people).padStart(4, '0')}`;
	const codeOf = (phone: string) =>
		n8n.emulator.ledger.calls.findLast((call) => call.phone === phone)?.code ?? '';

	beforeAll(async () => {
		const prefix = `login-servers-${n8n.line.replace('.', '-')}`;
		api = await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix });
		folder = await mkdtemp(join(tmpdir(), 'call-verification-shell-'));
	});

	afterAll(async () => await rm(folder, { recursive: true, force: true }));

	async function inShell(script: string): Promise<string> {
		const env = { ...process.env, SECRET: SITE_SECRET, API: api.address };
		return (await run('bash', ['-c', script], { env, cwd: folder })).stdout;
	}

	describe.each([
		{ language: 'js' as const, isThere: true },
		{ language: 'php' as const, isThere: php !== undefined },
	])('in $language', ({ language, isThere }) => {
		const testIfThere = isThere ? test : test.skip;
		let site: Site | undefined;

		beforeAll(async () => {
			if (isThere) site = await startSite(language, api);
		});

		afterAll(async () => await site?.process.stop());

		function visitor(): Visitor {
			if (site === undefined) throw new Error(`The server in ${language} was not started`);
			return new Visitor(site);
		}

		testIfThere('logs in the person who types the code, and nobody else', async () => {
			const [phone, browser, other] = [somebody(), visitor(), visitor()];
			const start = { phone: `+${phone}`, way: 'call' };
			// The token stays on the server.
			expect(await browser.post('/login/start', start)).toEqual({
				show: 'digits',
				exists: false,
				next_call_in: 60,
			});
			const wrong = codeOf(phone) === '1234' ? '4321' : '1234';
			expect(await browser.post('/login/check', { code: wrong })).toEqual({ verified: false });
			expect(await other.post('/login/check', { code: codeOf(phone) })).toEqual({
				verified: false,
			});
			expect(await browser.home()).toBe('Logged in: nobody');
			expect(await browser.post('/login/check', { code: codeOf(phone) })).toEqual({
				verified: true,
			});
			expect(await browser.home()).toBe(`Logged in: ${phone}`);
			expect(await other.home()).toBe('Logged in: nobody');
		});

		testIfThere('logs in the person who calls, and nobody else', async () => {
			const [phone, browser, other] = [somebody(), visitor(), visitor()];
			expect(await browser.post('/login/status', {})).toEqual({ verified: false });
			// The token and the address of the status stay on the server.
			expect(await browser.post('/login/start', { phone, way: 'inbound' })).toEqual({
				show: 'number',
				number: expect.stringMatching(/^\+7 495 /) as unknown,
				tel: expect.stringMatching(/^tel:\+7495/) as unknown,
				wait_seconds: 600,
			});
			await waitsAfter(n8n.client, api.workflowId, 'Number and Token');
			expect(await browser.post('/login/status', {})).toEqual({ verified: false });
			await n8n.emulator.callFrom(phone);
			await waitUntil(
				async () => {
					expect(await other.post('/login/status', {})).toEqual({ verified: false });
					const own = await browser.post('/login/status', {});
					return JSON.stringify(own) === '{"verified":true}' || undefined;
				},
				{ what: 'the server has learned of the call' },
			);
			expect(await browser.home()).toBe(`Logged in: ${phone}`);
			expect(await other.home()).toBe('Logged in: nobody');
		});

		testIfThere('passes on what was refused, and takes nothing but short JSON', async () => {
			const browser = visitor();
			const asked = n8n.emulator.ledger.requests.length;
			expect(await browser.post('/login/start', { phone: 'my phone' })).toEqual({
				refused: 'phone',
			});
			const body = JSON.stringify({ phone: somebody() });
			const refused = [
				// What any other website can make a browser send.
				await browser.send('/login/start', body, { 'content-type': 'text/plain' }),
				await browser.send('/login/start', 'phone', JSON_TYPE),
				await browser.send('/login/start', body + ' '.repeat(2_000), JSON_TYPE),
			];
			expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
			expect(n8n.emulator.ledger.requests).toHaveLength(asked);
		});

		testIfThere('answers the lines in “Try it”', async () => {
			const lines = blockOf('bash', 'try the server');
			const said = await inShell(lines.replace(/^SITE=.*/m, `SITE=${site?.url}`));
			expect(said).toMatch(/^\{"show":"digits",.*\}\{"verified":(true|false)\}$/);
		});
	});

	test('and the lines for a shell sign a token that login-api accepts', async () => {
		expect(await inShell(blockOf('bash', 'try login-api'))).toContain('"show":"digits"');
	});
});
