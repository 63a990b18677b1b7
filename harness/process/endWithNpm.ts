import { readFileSync } from 'node:fs';

const INTERVAL = 1_000;

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
	}, INTERVAL);
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
