import { mkdir, statfs } from 'node:fs/promises';
import { formatBytes } from './report';
import { SetupProblem } from './setupProblem';

export async function requireFreeSpace(folder: string, bytes: number, what: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	const { bavail, bsize } = await statfs(folder);
	const free = bavail * bsize;
	if (free < bytes) {
		throw new SetupProblem(
			`${what} needs ${formatBytes(bytes)} of disk space, but ${folder} has only ${formatBytes(free)} left. ` +
				'Free some space, or set XDG_CACHE_HOME to a folder on another disk.',
		);
	}
}
