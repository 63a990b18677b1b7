import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetch } from 'undici';
import type { N8nProgram } from '../setup/n8nProgram';
import type { PinnedLine } from '../setup/n8nReleases';
import { installPackage } from '../setup/packages';
import { SetupProblem } from '../setup/report';
import { type GuardedProcess, signalGroup, startGuarded } from './guardedProcess';
import { freePorts, isPortFree } from './loopback';
import {
	filesOf,
	type N8nDefaults,
	type N8nRole,
	n8nRoles,
	n8nSettings,
	temporaryFilesOf,
	wantedDefaults,
} from './n8nSettings';
import { waitUntil } from './waitUntil';

export interface RunningN8n {
	readonly line: PinnedLine;
	readonly version: string;
	/** Without a trailing slash. */
	readonly url: string;
	readonly userFolder: string;
	/** Also the ID of the group of n8n and its children. */
	readonly pid: number;
	/** Milliseconds from the start of the process until it responded. */
	readonly startUpTime: number;
	/** Resolves when n8n ends, for whatever reason. */
	readonly ended: Promise<unknown>;
	readonly hasEnded: () => boolean;
	readonly log: () => string;
	readonly stop: () => Promise<void>;
	/** Kills n8n without a chance to clean up, as a crash or a lack of memory would. */
	readonly kill: () => Promise<void>;
}

/** A busy machine takes minutes to start n8n; one that hangs is still noticed. */
const START_LIMIT = 300_000;

interface StartOptions {
	/** Kept when n8n stops. Without it, n8n gets a temporary folder, which is removed when it stops. */
	readonly userFolder?: string;
	/** Tarballs of community packages to install first. */
	readonly packages?: readonly string[];
	/** By default, a free one. */
	readonly port?: number;
	/** By default, the main process. */
	readonly role?: N8nRole;
	/** Added to the quiet, offline settings. */
	readonly settings?: Readonly<Record<string, string>>;
	/** By default, those that the environment asks for. */
	readonly defaults?: N8nDefaults;
	readonly startLimit?: number;
}

/** Starts n8n on loopback and returns when it responds; if it does not, the error shows the end of its log. */
export async function startN8n(
	program: N8nProgram,
	options: StartOptions = {},
): Promise<RunningN8n> {
	const temporary = options.userFolder === undefined;
	const userFolder =
		options.userFolder ?? (await mkdtemp(join(tmpdir(), 'call-verification-n8n-')));
	const discard = temporary ? userFolder : undefined;
	try {
		return await startIn(userFolder, discard, program, options);
	} catch (error) {
		if (discard) await rm(discard, { recursive: true, force: true });
		throw error;
	}
}

async function startIn(
	userFolder: string,
	discard: string | undefined,
	program: N8nProgram,
	{
		packages = [],
		port: wantedPort,
		role = 'main',
		settings = {},
		defaults = wantedDefaults(),
		startLimit = START_LIMIT,
	}: StartOptions,
): Promise<RunningN8n> {
	for (const needed of [temporaryFilesOf(userFolder), filesOf(userFolder)]) {
		await mkdir(needed, { recursive: true });
	}
	for (const tarball of packages) await installPackage(tarball, userFolder, { discard });

	const [port, brokerPort] = await choosePorts(wantedPort);
	const started = Date.now();
	const { args, readyPaths, settings: roleSettings } = n8nRoles[role];
	const n8n = await startGuarded(program.node, [program.script, ...args], {
		// n8n would read a stray .env file from the working folder.
		cwd: userFolder,
		env: n8nSettings(program, userFolder, {
			ports: { port, brokerPort },
			defaults,
			settings: { ...roleSettings(port), ...settings },
		}),
		discard,
	});
	const url = `http://127.0.0.1:${port}`;
	try {
		await waitUntilReady(n8n, url, readyPaths, startLimit);
	} catch (error) {
		await n8n.stop();
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(
			`n8n ${program.version}${role === 'main' ? '' : ` (${role})`} did not start. ${reason}\nThe end of its log:\n${n8n.output.tail(40)}`,
		);
	}
	return {
		line: program.line,
		version: program.version,
		url,
		userFolder,
		pid: n8n.pid,
		startUpTime: Date.now() - started,
		ended: n8n.ended,
		hasEnded: () => n8n.hasEnded(),
		log: () => n8n.output.text(),
		stop: async () => await n8n.stop(),
		kill: async () => {
			signalGroup(n8n.pid, 'SIGKILL');
			await n8n.stop();
		},
	};
}

async function choosePorts(
	wanted: number | undefined,
): Promise<[port: number, brokerPort: number]> {
	if (wanted !== undefined && !(await isPortFree(wanted))) {
		throw new SetupProblem(
			`Port ${wanted} is in use. Stop the program that uses it, or choose another port.`,
		);
	}
	const [first = 0, second = 0] = await freePorts(2);
	return [wanted ?? first, second];
}

async function waitUntilReady(
	n8n: GuardedProcess,
	url: string,
	paths: readonly string[],
	limit: number,
): Promise<void> {
	let seen = 'no answer yet';
	await waitUntil(
		async () => {
			if (n8n.hasEnded()) throw new Error('The process ended by itself.');
			for (const path of paths) {
				const status = await statusOf(`${url}${path}`);
				seen = `${path}: ${status}`;
				if (status !== 200) return undefined;
			}
			return true;
		},
		{ what: 'n8n is ready', limit, longestPause: 250, seen: () => seen },
	);
}

/** The HTTP status of the response, or why there was none. */
export async function statusOf(url: string): Promise<number | string> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
		await response.arrayBuffer();
		return response.status;
	} catch (error) {
		return String(error);
	}
}

/** Runs a command such as `import:workflow` on the data of an n8n, which may be running, and waits until it is done. */
export async function runN8nCommand(
	program: N8nProgram,
	userFolder: string,
	args: readonly string[],
): Promise<void> {
	const [port = 0, brokerPort = 0] = await freePorts(2);
	const command = await startGuarded(program.node, [program.script, ...args], {
		cwd: userFolder,
		env: n8nSettings(program, userFolder, {
			ports: { port, brokerPort },
			defaults: wantedDefaults(),
			settings: {},
		}),
	});
	const { code } = await command.finish();
	if (code !== 0) {
		throw new Error(
			`n8n ${args.join(' ')} ended with ${code}. The end of its output:\n${command.output.tail(40)}`,
		);
	}
}
