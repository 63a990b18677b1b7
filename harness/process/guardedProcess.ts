import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { OutputLog } from './outputLog';
import { processesInGroup, signalGroup } from './processGroup';
import { waitUntil } from './waitUntil';

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
