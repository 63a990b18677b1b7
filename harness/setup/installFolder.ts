import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { waitUntil } from '../process/waitUntil';
import { formatBytes, formatDuration, type Report, reportingGrowth, SetupProblem } from './report';

/** Keeps Node and n8n between runs, outside the checkout, so that a fresh clone can use them. */
export function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return join(base, 'n8n-nodes-call-verification');
}

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

async function requireFreeSpace(folder: string, bytes: number, what: string): Promise<void> {
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

interface InstallStep {
	readonly name: string;
	/** The size of the folder after this step, if it grows a lot; then the progress is shown by size. */
	readonly growsTo?: number;
	readonly run: (folder: string) => Promise<void>;
}

interface Installation {
	readonly title: string;
	readonly folder: string;
	readonly installedBytes: number;
	readonly freeBytesToInstall: number;
	/** Each step continues from the previous one; after an interruption, the unfinished step starts over. */
	readonly steps: readonly InstallStep[];
	readonly works: (folder: string) => Promise<boolean>;
}

const COMPLETE = '.complete';

/**
 * Makes sure that `folder` contains a working installation. It is built in a sibling folder and renamed at the end, so
 * a folder with the final name is complete. A folder that was filled by hand is accepted if it works.
 */
export async function installOnce(installation: Installation, report: Report): Promise<void> {
	if (await isReady(installation)) return;
	await withInstallLock(installation.folder, report, async () => {
		if (!(await isReady(installation))) await install(installation, report);
	});
}

async function isReady({ folder, works }: Installation): Promise<boolean> {
	if (await exists(join(folder, COMPLETE))) return true;
	if (!(await works(folder))) return false;
	await mark(folder, COMPLETE);
	return true;
}

async function install(installation: Installation, report: Report): Promise<void> {
	const { title, folder, installedBytes, freeBytesToInstall, steps, works } = installation;
	const started = Date.now();
	await requireFreeSpace(dirname(folder), freeBytesToInstall, `Installing ${title}`);
	report(`Installing ${title} into ${folder} (about ${formatBytes(installedBytes)}, once)`);

	const partial = `${folder}.partial`;
	for (const [position, step] of steps.entries()) {
		const done = `.done-${position}`;
		if (await exists(join(partial, done))) continue;
		// The files of an interrupted first step cannot be trusted; the downloads are still in npm's own cache.
		if (position === 0) await rm(partial, { recursive: true, force: true });
		await mkdir(partial, { recursive: true });
		const progress = { title: `${title}, ${step.name}`, expectedBytes: step.growsTo, report };
		await reportingGrowth(partial, progress, async () => await step.run(partial));
		await mark(partial, done);
	}

	if (!(await works(partial))) {
		await rm(partial, { recursive: true, force: true });
		throw new SetupProblem(`${title} was installed but does not run. Please try again.`);
	}
	await mark(partial, COMPLETE);
	await rm(folder, { recursive: true, force: true });
	await rename(partial, folder);
	report(`${title} is ready after ${formatDuration(Date.now() - started)}`);
}

async function mark(folder: string, name: string): Promise<void> {
	await writeFile(join(folder, name), `${new Date().toISOString()}\n`);
}

async function exists(path: string): Promise<boolean> {
	return await access(path).then(
		() => true,
		() => false,
	);
}
