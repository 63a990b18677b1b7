import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { waitUntil } from './waitUntil';

/** n8n's first start prints hundreds of these lines, which hide the one that matters. */
const NOISE = /^(Starting|Finished) migration /;
const KEPT_CHARACTERS = 2_000_000;

/** The output of a process. If it gets very long, the oldest part is dropped. */
class OutputLog {
	private all = '';
	private fromStdout = '';

	constructor(stdout: Readable, stderr: Readable) {
		stdout.setEncoding('utf8').on('data', (text: string) => {
			this.fromStdout = (this.fromStdout + text).slice(-KEPT_CHARACTERS);
			this.append(text);
		});
		stderr.setEncoding('utf8').on('data', (text: string) => this.append(text));
	}

	text(): string {
		return this.all;
	}

	stdout(): string {
		return this.fromStdout;
	}

	tail(lines: number): string {
		const telling = this.all.split('\n').filter((line) => line.trim() && !NOISE.test(line));
		return telling.slice(-lines).join('\n');
	}

	private append(text: string): void {
		this.all = (this.all + text).slice(-KEPT_CHARACTERS);
	}
}

/** IDs of the running processes in a group. A zombie does not run: it only waits for its parent to notice it. */
export function processesInGroup(groupId: number): number[] {
	if (process.platform === 'win32') return isRunning(groupId) ? [groupId] : [];
	if (process.platform !== 'linux') return listedByPs(groupId);
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((pid) => runsInGroup(pid, groupId));
}

function runsInGroup(pid: number, groupId: number): boolean {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return Number(group) === groupId && state !== 'Z';
	} catch {
		return false; // The process has just ended.
	}
}

/** macOS has no /proc. */
function listedByPs(groupId: number): number[] {
	return execFileSync('ps', ['-axo', 'pid=,pgid=,stat='], { encoding: 'utf8' })
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([, group, state = '']) => Number(group) === groupId && !state.startsWith('Z'))
		.map(([pid]) => Number(pid));
}

/** Windows has no groups: a process and its children are ended as a tree, by the ID of the first. */
function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
	if (process.platform === 'win32') return endTree(groupId);
	try {
		process.kill(-groupId, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

function endTree(pid: number): void {
	try {
		execFileSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
	} catch {
		// It has already ended.
	}
}

interface ProcessEnd {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

export interface GuardedProcess {
	/** Also the ID of the group of the process and all its children. */
	readonly pid: number;
	readonly output: OutputLog;
	hasEnded(): boolean;
	/** Resolves when the process ends, for whatever reason. */
	readonly ended: Promise<ProcessEnd>;
	/** Ends the whole group, gently first, and removes `discard`. Safe to call twice. */
	stop(): Promise<void>;
	/** Waits until the process ends on its own; `discard` stays. */
	finish(): Promise<ProcessEnd>;
}

interface GuardedOptions {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** A folder to remove when the process is stopped or its parent dies. */
	readonly discard?: string;
	/** Another user to run as; only possible as root. */
	readonly user?: UserIds;
}

export interface UserIds {
	readonly uid: number;
	readonly gid: number;
}

const PATIENCE = 15_000;

/**
 * Reads from a pipe that only our process holds open, and cleans up when that pipe closes unexpectedly, so that neither
 * a kill -9 nor a crash of the test runner leaves n8n running. (Debian's sh accepts a group ID only after
 * "kill -s NAME --".)
 */
const GUARD = `
cat >/dev/null
kill -s TERM -- "-$1" 2>/dev/null
tries=0
while kill -s 0 -- "-$1" 2>/dev/null && [ $tries -lt 150 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -s KILL -- "-$1" 2>/dev/null
if [ -n "$2" ]; then rm -rf -- "$2"; fi
`;

const running = new Set<GuardedProcess>();

/** Starts a command in its own process group. */
export async function startGuarded(
	command: string,
	args: readonly string[],
	{ cwd, env, discard, user }: GuardedOptions,
): Promise<GuardedProcess> {
	const child = spawn(command, args, {
		cwd,
		env,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe'],
		...user,
	});
	const output = new OutputLog(child.stdout, child.stderr);
	const ended = new Promise<ProcessEnd>((resolve) => {
		child.once('close', (code, signal) => resolve({ code, signal }));
	});
	await once(child, 'spawn');
	const pid = child.pid;
	if (pid === undefined) throw new Error(`${command} was started without a process id`);

	const guard = startGuard(pid, discard);

	const release = async () => {
		await endGroup(pid);
		guard?.kill('SIGKILL');
		running.delete(guarded);
	};
	let stopping: Promise<void> | undefined;
	const guarded: GuardedProcess = {
		pid,
		output,
		ended,
		hasEnded: () => child.exitCode !== null || child.signalCode !== null,
		finish: async () => {
			const end = await ended;
			await (stopping ?? release());
			return end;
		},
		stop: async () => {
			stopping ??= (async () => {
				await release();
				await ended;
				if (discard) await rm(discard, { recursive: true, force: true, maxRetries: 3 });
			})();
			await stopping;
		},
	};
	running.add(guarded);
	return guarded;
}

/** Windows has no shell for it, so only a clean stop cleans up there. */
function startGuard(pid: number, discard = ''): ChildProcess | undefined {
	if (process.platform === 'win32') return undefined;
	const guard = spawn('sh', ['-c', GUARD, 'guard', String(pid), discard], {
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	guard.unref();
	return guard;
}

export async function stopAllGuarded(): Promise<void> {
	await Promise.all([...running].map(async (guarded) => await guarded.stop()));
}

async function endGroup(pid: number): Promise<void> {
	signalGroup(pid, 'SIGTERM');
	const isGone = async () => (processesInGroup(pid).length === 0 ? true : undefined);
	const seen = () => `processes ${processesInGroup(pid).join(', ')}`;
	const what = `process group ${pid} has ended`;
	await waitUntil(isGone, { what, limit: PATIENCE, longestPause: 100, seen }).catch(async () => {
		signalGroup(pid, 'SIGKILL');
		await waitUntil(isGone, { what, limit: PATIENCE, longestPause: 100, seen });
	});
}

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * For commands that run until Ctrl-C: stops everything that the command started, then the command. A second signal ends
 * it immediately, and the guards clean up.
 */
export function stopOnSignal(alsoStop: () => Promise<void> = async () => {}): void {
	let stopping = false;
	for (const [signal, exitCode] of Object.entries(EXIT_CODES)) {
		process.on(signal, () => {
			if (stopping) process.exit(exitCode);
			stopping = true;
			void Promise.allSettled([stopAllGuarded(), alsoStop()]).then(() => process.exit(exitCode));
		});
	}
}

/** How often it is seen whether npm still runs. */
const NPM_SEEN_EVERY = 1_000;

/**
 * Ends this process cleanly when the npm that started it is gone. npm forwards signals, but nothing can forward a
 * kill -9.
 */
export function endWithNpm(): void {
	if (process.env.npm_lifecycle_event === undefined) return;
	const starters = startersOf(process.pid);
	const watch = setInterval(() => {
		if (startersOf(process.pid).join() === starters.join()) return;
		clearInterval(watch);
		process.kill(process.pid, 'SIGTERM');
	}, NPM_SEEN_EVERY);
	watch.unref();
}

/** npm's process ID, preceded by that of the shell between npm and us, if it is still there. */
function startersOf(pid: number): number[] {
	const parent = parentOf(pid);
	return isShellOfNpm(parent) ? [parent, parentOf(parent)] : [parent];
}

function parentOf(pid: number): number {
	const stat = read(`/proc/${pid}/stat`);
	return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function isShellOfNpm(pid: number): boolean {
	return /^\S*sh\0-c\0/.test(read(`/proc/${pid}/cmdline`));
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return ''; // The process has just ended.
	}
}
