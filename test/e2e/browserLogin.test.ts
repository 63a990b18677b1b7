import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { LoginApi } from '../../harness/workflows/loginApi';
import { codeBlocks } from '../package/docs/pages';
import { DESKTOP, describeVisitors } from './inBrowser';

const started = z.object({ verification_token: z.string(), exists: z.boolean() });
const sent = z.object({ phone: z.string().optional(), code: z.string().optional() });

describeVisitors(
	'the login page of the documentation',
	{ callResultAfterMs: 0 },
	(n8n, openPage) => {
		let site: Server;

		beforeAll(async () => {
			const prefix = `login-page-${n8n.line.replace('.', '-')}`;
			site = await startSite(await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix }));
		});

		afterAll(() => site?.close());

		test('logs a person in, and says after a log-out that there is no second call yet', async () => {
			const { calls } = n8n.emulator.ledger;
			const page = await openPage(DESKTOP);
			await enter(page, 'Phone', '+7 916 555-66-77');
			await page.getByText('it is ringing now').waitFor();
			const code = calls[0]?.code ?? '';
			await type(page, 'Code', code === '1234' ? '4321' : '1234');
			await page.getByText('That did not work').waitFor();
			await type(page, 'Code', code);
			await page.getByText('You are logged in').waitFor();

			await enter(page, 'Phone', '+7 916 555-66-77');
			await page.getByText('We called you a moment ago').waitFor();
			expect(calls).toEqual([expect.objectContaining({ client: 'login-api' })]);
		});

		async function enter(page: Page, field: string, value: string): Promise<void> {
			const { port } = site.address() as AddressInfo;
			await page.goto(`http://127.0.0.1:${port}/login`);
			await type(page, field, value);
		}

		async function type(page: Page, field: string, value: string): Promise<void> {
			await page.getByLabel(field).fill(value);
			await page.getByRole('button', { name: 'Continue' }).click();
		}
	},
);

/** The site of the documentation, for one visitor. */
async function startSite(api: LoginApi): Promise<Server> {
	const html = codeBlocks.find(({ language }) => language === 'html')?.code ?? '';
	let token = '';
	const answerTo = async (request: IncomingMessage): Promise<string> => {
		if (request.method === 'GET') return request.url === '/login' ? html : 'You are logged in';
		const { phone, code } = sent.parse(await json(request));
		if (request.url === '/login/start') {
			const { json: answer } = await api.send('start', { phone, visitor: '203.0.113.7' });
			const { verification_token, exists } = started.parse(answer);
			token = verification_token;
			return JSON.stringify({ exists });
		}
		return (await api.check(token, code ?? '')).text;
	};
	const site = createServer((request, response) => {
		response.setHeader('content-type', request.method === 'GET' ? 'text/html' : 'application/json');
		answerTo(request).then(
			(answer) => response.end(answer),
			() => response.writeHead(500).end(),
		);
	});
	await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
	return site;
}
