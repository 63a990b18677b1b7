import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callWebhook, freePorts, waitUntil } from '../../harness';
import { type GuardedProcess, startGuarded } from '../../harness/process/guardedProcess';
import { findProgram } from '../../harness/queue/servers';
import type { LoginApi } from '../../harness/workflows/loginApi';
import { SITE_SECRET } from '../../harness/workflows/siteRequests';
import { codeBlocks } from '../package/docs/pages';

const PAGE = 'docs/login-page.md';

/** Debian's package php-cli; without it, the tests that need it are skipped, and reported as skipped. */
export const php = findProgram('php');

/** A server of the documentation for readers of one language: the name of its file, and how it is started. */
const SERVERS = {
	js: { file: 'server.mjs', command: () => [process.execPath, 'server.mjs'] },
	php: { file: 'index.php', command: (host: string) => [php ?? 'php', '-S', host, 'index.php'] },
} as const;

export interface Site {
	readonly url: string;
	readonly process: GuardedProcess;
}

/** The block of the documentation that has this language, and this note if it has one. */
export function blockOf(language: string, note = ''): string {
	const found = codeBlocks.filter(
		(block) => block.page === PAGE && block.language === language && block.note === note,
	);
	const [block, ...more] = found;
	if (block === undefined || more.length > 0) {
		throw new Error(`${PAGE} has ${found.length} blocks “${language}” with the note “${note}”`);
	}
	return block.code;
}

/** The page of the documentation and one of its servers, in a folder of their own, as a reader would copy them. */
export async function startSite(language: keyof typeof SERVERS, api: LoginApi): Promise<Site> {
	const cwd = await mkdtemp(join(tmpdir(), 'call-verification-site-'));
	const { file, command } = SERVERS[language];
	await writeFile(join(cwd, file), blockOf(language));
	await writeFile(join(cwd, 'login.html'), blockOf('html'));
	const [port] = await freePorts(1);
	const host = `127.0.0.1:${port}`;
	const [program = '', ...args] = command(host);
	const env = { ...process.env, API: api.address, SECRET: SITE_SECRET, PORT: String(port) };
	const running = await startGuarded(program, args, { cwd, env, discard: cwd });
	const url = `http://${host}`;
	const answers = async () => {
		const page = await callWebhook(`${url}/login`, { method: 'GET' }).catch(() => undefined);
		return page?.status === 200 || undefined;
	};
	const seen = () => running.output.tail(20);
	await waitUntil(answers, { what: `${file} shows the page`, seen });
	return { url, process: running };
}
