import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes of a group that still run. A zombie does not: it only waits to be noticed by its parent. */
export function processesInGroup(groupId: number): number[] {
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
		return false; // It ended while we looked.
	}
}

export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-groupId, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}
