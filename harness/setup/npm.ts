import { appendFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { startGuarded } from '../process/guardedProcess';
import { SetupProblem } from './report';

interface NpmOptions {
	readonly cwd: string;
	/** The Node that runs npm and that native code is built for; by default, the running one. */
	readonly node?: string;
	readonly logFile?: string;
	/** Environment variables, added to those of this process. */
	readonly settings?: Readonly<Record<string, string>>;
	/** Removed if this process dies while npm runs. */
	readonly discard?: string;
}

/** Runs npm and returns its stdout. */
export async function npm(args: readonly string[], options: NpmOptions): Promise<string> {
	const { cwd, node = process.execPath, logFile, settings, discard } = options;
	const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress'];
	const [command, ...script] = npmCommand(node);
	const run = await startGuarded(command, [...script, ...args, ...quiet], {
		cwd,
		env: { ...npmEnvironment(node), ...settings },
		discard,
	}).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== 'ENOENT') throw error;
		throw new SetupProblem('npm was not found on the PATH. It comes with Node.js: install both.');
	});
	const { code } = await run.finish();
	if (logFile) await appendFile(logFile, run.output.text());
	if (code !== 0) {
		throw new SetupProblem(
			`"npm ${args.join(' ')}" failed. ${adviceFor(run.output.text())}\n${run.output.tail(25)}`,
		);
	}
	return run.output.stdout();
}

/** On Windows, "npm" is a batch file, which only a shell can start; but npm gives its scripts the path of its own. */
function npmCommand(node: string): [command: string, ...script: string[]] {
	const script = process.env.npm_execpath;
	return process.platform === 'win32' && script ? [node, script] : ['npm'];
}

function npmEnvironment(node: string): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = {};
	for (const [name, value] of Object.entries(process.env)) {
		if (!comesFromAnEnclosingNpmRun(name)) env[name] = value;
	}
	env.PATH = [dirname(node), process.env.PATH].join(delimiter);
	// With Node's headers, native builds do not have to download them.
	const nodePrefix = dirname(dirname(node));
	if (existsSync(join(nodePrefix, 'include', 'node', 'node_api.h'))) {
		env.npm_config_nodedir = nodePrefix;
	}
	return env;
}

/** `npm start` puts this project's npm settings into the environment; they must not affect n8n's folder. */
function comesFromAnEnclosingNpmRun(name: string): boolean {
	return (
		/^npm_(package|lifecycle|command|execpath|node_execpath)/.test(name) ||
		/^npm_config_(local_prefix|global_prefix|prefix|ignore_scripts|omit|include|dry_run|workspaces?|nodedir)$/.test(
			name,
		)
	);
}

function compilerOn(platform: NodeJS.Platform): string {
	switch (platform) {
		case 'darwin':
			return 'the Command Line Tools with "xcode-select --install"';
		case 'win32':
			return 'Python and the Visual Studio Build Tools with "Desktop development with C++"';
		default:
			return 'Python, make and a C++ compiler (on Debian: "apt install python3 make g++")';
	}
}

function adviceFor(output: string): string {
	if (/ENOSPC/.test(output)) return 'The disk is full: free some space and start again.';
	if (
		/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED/.test(output)
	) {
		return "The npm registry could not be reached: check the network (and npm's proxy settings) and start again; what was downloaded is kept.";
	}
	if (
		/gyp ERR! find Python|not found: make|make: not found|g\+\+: not found|xcode-select|find VS/.test(
			output,
		)
	) {
		return `n8n compiles its database driver: install ${compilerOn(process.platform)} and start again.`;
	}
	return 'The end of its output:';
}
