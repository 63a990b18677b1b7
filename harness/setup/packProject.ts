import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cacheFolder';
import { withInstallLock } from './installLock';
import { npm } from './npm';
import { packPackage } from './packPackage';

const PROJECT = join(__dirname, '../..');

interface PackedProject {
	readonly tarball: string;
	readonly remove: () => Promise<void>;
}

/** Builds this project and packs it as it would be published. Two processes that want it take turns. */
export async function packProject(): Promise<PackedProject> {
	return await withInstallLock(join(PROJECT, 'dist'), console.log, pack);
}

async function pack(): Promise<PackedProject> {
	await mkdir(cacheFolder(), { recursive: true });
	// gulp writes a small file to the user's cache folder; this puts it into ours.
	const settings = { XDG_CACHE_HOME: cacheFolder() };
	await npm(['run', 'build'], { cwd: PROJECT, settings });
	const folder = await mkdtemp(join(cacheFolder(), 'packed-'));
	const remove = async () => await rm(folder, { recursive: true, force: true });
	try {
		return { tarball: await packPackage(PROJECT, folder), remove };
	} catch (error) {
		await remove();
		throw error;
	}
}
