import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireFreeSpace } from './diskSpace';
import { reportingGrowth } from './folderSize';
import { withInstallLock } from './installLock';
import { formatBytes, formatDuration, type Report } from './report';
import { SetupProblem } from './setupProblem';

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
