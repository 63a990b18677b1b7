import { join } from 'node:path';

import { startEmulator } from '../emulator/emulator';
import {
	cacheFolder,
	connect,
	n8nProgram,
	packProject,
	SetupProblem,
	startN8n,
	stopOnSignal,
	waitUntil,
} from '../harness';
import { endWithNpm, startGuarded } from '../harness/process/guardedProcess';
import { startableLine } from '../harness/setup/n8nProgram';
import { tryInstallLock } from '../harness/setup/installFolder';
import { importExamples, standInCredentials } from './demo/importExamples';
import { step } from './demo/startDemo';
import { ROOT } from './project';

/**
 * `npm run dev`: an n8n with this package and an emulated service. What is saved is compiled into that n8n, which then
 * loads the nodes anew. (n8n's own `n8n-node dev` installs the latest n8n each time, gives the nodes other type names
 * than an installed package has, and needs a terminal.)
 */
const FOLDER = join(cacheFolder(), 'dev');
const PACKAGE = 'n8n-nodes-call-verification';
const N8N_PORT = 25_680;
const EMULATOR_PORT = 25_681;

const WATCHING = /Watching for file changes/;
const LIMIT_MS = 300_000;

/** What to show of n8n's log, which at this level is long: our requests, reloads and problems. */
const TELLING = /\/v1\.0\/|Hot reload|\berror\b|\bwarn\b/i;

async function main(): Promise<void> {
	let isStopping = false;
	stopOnSignal(async () => {
		isStopping = true;
	});
	endWithNpm();
	const release = await tryInstallLock(FOLDER);
	if (!release) throw new SetupProblem('"npm run dev" is already running.');
	const program = await n8nProgram(startableLine(), { acceptInstalled: true, report: console.log });
	const packed = await step('Building and packing this package', packProject);
	const emulator = await startEmulator({ port: EMULATOR_PORT });
	const n8n = await step(`Starting n8n ${program.version}`, async () => {
		return await startN8n(program, {
			userFolder: FOLDER,
			packages: [packed.tarball],
			port: N8N_PORT,
			settings: { N8N_DEV_RELOAD: 'true', N8N_LOG_LEVEL: 'debug' },
		});
	});
	await packed.remove();
	const client = await connect(n8n);
	await standInCredentials(client, emulator);
	await importExamples(client, n8n);

	const installed = join(n8n.userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE, 'dist');
	const compiler = await startGuarded(
		join(ROOT, 'node_modules', '.bin', 'tsc'),
		['--watch', '--preserveWatchOutput', '--outDir', installed],
		{ cwd: ROOT, env: process.env },
	);
	// It writes everything once, and n8n would complain about what is not there yet.
	const isWatching = async () => WATCHING.test(compiler.output.text()) || undefined;
	await step('Compiling', async () => {
		return await waitUntil(isWatching, { what: 'the compiler watches', limit: LIMIT_MS });
	});
	console.log(`\nn8n: ${n8n.url}   emulated service: ${emulator.url}   Ctrl-C ends both\n`);
	follow(() => n8n.log(), TELLING);
	follow(() => compiler.output.text(), /./);
	await Promise.race([n8n.ended, compiler.ended]);
	if (isStopping) return;
	console.error('n8n or the compiler has stopped.');
	process.kill(process.pid, 'SIGTERM');
}

/** Prints what is added to a log. */
function follow(log: () => string, telling: RegExp): void {
	let seen = log().length;
	setInterval(() => {
		const all = log();
		const lines = all.slice(seen).split('\n').slice(0, -1);
		seen += lines.reduce((length, line) => length + line.length + 1, 0);
		for (const line of lines.filter((line) => telling.test(line))) console.log(line);
	}, 200);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
	process.kill(process.pid, 'SIGTERM');
});
