import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

import { codeBlocks } from './pages';

const run = promisify(execFile);

const PAGE = 'docs/login-page.md';
const SECRET = 'a-long-random-value';

const codeIn = (language: string) =>
	codeBlocks.find((block) => block.page === PAGE && block.language === language)?.code ?? '';

/** Checks a token as n8n does, and returns for how many more seconds it is valid. */
function secondsLeft(token: string): number {
	const [header = '', claims = '', signature] = token.split('.');
	const decoded = (part: string) =>
		JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
	expect(decoded(header)).toMatchObject({ alg: 'HS256' });
	expect(signature).toBe(
		createHmac('sha256', SECRET).update(`${header}.${claims}`).digest('base64url'),
	);
	return Number(decoded(claims).exp) - Date.now() / 1_000;
}

/** More would be refused by the examples, and less by a busy server. */
function expectAMinute(token: string): void {
	const seconds = secondsLeft(token);
	expect(seconds).toBeGreaterThan(0);
	expect(seconds).toBeLessThanOrEqual(60);
}

describe('the token of a site’s server, as the documentation signs it,', () => {
	it('is right in Node', async () => {
		const script = `${codeIn('js')}\nconsole.log(token('${SECRET}'));`;
		const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
		expectAMinute(stdout.trim());
	});

	it('is right in PHP', () => {
		// Without an interpreter of PHP: JavaScript with the same functions reads almost the same.
		const script = codeIn('php')
			.replace(/string (?=\$)|: string/g, '')
			.replaceAll(' . ', ' + ')
			.replaceAll('fn (', '(')
			.replace(/\['(\w+)' => ([^\]]+)\]/g, '{ $1: $2 }');
		const functions = {
			base64_encode: (text: string) => Buffer.from(text, 'latin1').toString('base64'),
			hash_hmac: (algorithm: string, text: string, secret: string) =>
				createHmac(algorithm, secret).update(text).digest().toString('latin1'),
			json_encode: JSON.stringify,
			rtrim: (text: string, end: string) => text.replace(new RegExp(`${end}+$`), ''),
			strtr: (text: string, from: string, to: string) =>
				text.replace(/./g, (letter) => to[from.indexOf(letter)] ?? letter),
			time: () => Math.floor(Date.now() / 1_000),
		};
		expectAMinute(String(runInNewContext(`${script}\ntoken('${SECRET}')`, functions)));
	});

	it('is right in a shell, and sent', async () => {
		const server = createServer(({ headers, url }, response) => {
			response.end(JSON.stringify({ url, authorization: headers.authorization }));
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const env = { ...process.env, SECRET, URL: `http://127.0.0.1:${port}` };
		const { stdout } = await run('bash', ['-c', codeIn('bash')], { env });
		server.close();
		const sent = JSON.parse(stdout) as { url: string; authorization: string };
		expect(sent.url).toBe('/webhook/login/start');
		expectAMinute(sent.authorization.replace('Bearer ', ''));
	});
});
