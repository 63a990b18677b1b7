import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../process/waitUntil';
import type { Report } from './report';

const LONGEST_INSTALLATION = 60 * 60_000;

/** Lets only one process on this machine at a time do `work` on a folder. */
export async function withInstallLock<T>(
	folder: string,
	report: Report,
	work: () => Promise<T>,
): Promise<T> {
	let announced = false;
	const release = await waitUntil(
		async () => {
			const taken = await tryInstallLock(folder);
			if (!taken && !announced) report(`Another process is using ${folder}; waiting`);
			announced = true;
			return taken;
		},
		{ what: `no other process uses ${folder}`, limit: LONGEST_INSTALLATION },
	);
	try {
		return await work();
	} finally {
		release();
	}
}

/**
 * Takes the lock and returns a function that releases it, or undefined if another process has it. The lock is the name
 * of a socket: only one process can listen there, and the name is free again when that process ends, for any reason.
 */
export async function tryInstallLock(folder: string): Promise<(() => void) | undefined> {
	const name = socketName(folder);
	const server = (await listen(name)) ?? (await afterACrash(name));
	return server && (() => void server.close());
}

/** An abstract socket on Linux, a named pipe on Windows, otherwise a file. */
function socketName(folder: string): string {
	const id = `call-verification-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
	if (process.platform === 'linux') return `\0${id}`;
	return process.platform === 'win32' ? `\\\\.\\pipe\\${id}` : join(tmpdir(), id);
}

async function listen(name: string): Promise<Server | undefined> {
	const server = createServer().listen(name);
	try {
		await once(server, 'listening');
		return server;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
		throw error;
	}
}

/** Only a file outlives a killed process, and then nothing accepts a connection there. */
async function afterACrash(name: string): Promise<Server | undefined> {
	if (['linux', 'win32'].includes(process.platform)) return undefined;
	const socket = connect(name);
	const answers = await once(socket, 'connect').then(
		() => true,
		() => false,
	);
	socket.destroy();
	if (answers) return undefined;
	await rm(name, { force: true });
	return await listen(name);
}
