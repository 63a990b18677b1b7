import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

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
