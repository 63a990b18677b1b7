import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { waitUntil } from '../process/waitUntil';
import type { Report } from './report';

const LONGEST_INSTALLATION = 60 * 60_000;

/**
 * Lets one process of the machine at a time do `work` on a folder. The lock is a name in Linux's abstract socket space:
 * only one process can hold it, and it is free again when that process ends, however it ends.
 */
export async function withInstallLock<T>(
	folder: string,
	report: Report,
	work: () => Promise<T>,
): Promise<T> {
	const name = `\0call-verification-${createHash('sha256').update(folder).digest('hex')}`;
	let announced = false;
	const lock = await waitUntil(
		async () => {
			const taken = await take(name);
			if (!taken && !announced) report(`Another process is installing into ${folder}; waiting`);
			announced = true;
			return taken;
		},
		{ what: `no other process installs into ${folder}`, limit: LONGEST_INSTALLATION },
	);
	try {
		return await work();
	} finally {
		lock.close();
	}
}

async function take(name: string): Promise<Server | undefined> {
	const server = createServer().listen(name);
	try {
		await once(server, 'listening');
		return server;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
		throw error;
	}
}
