import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { cacheFolder, withInstallLock } from './installFolder';
import { npm } from './npm';

const packed = z.array(z.object({ filename: z.string() })).nonempty();

/** Packs an already built package as it would be published, and returns the path of the tarball. */
export async function packPackage(projectFolder: string, intoFolder: string): Promise<string> {
	await mkdir(intoFolder, { recursive: true });
	const answer = await npm(
		['pack', '--json', '--ignore-scripts', '--pack-destination', intoFolder],
		{ cwd: projectFolder },
	);
	const [{ filename }] = packed.parse(JSON.parse(answer));
	return join(intoFolder, filename);
}

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

/**
 * Installs a packed community package where n8n looks for it, with the npm options that n8n uses. Node types then start
 * with the package's name, as after an installation from the editor.
 */
export async function installPackage(
	tarball: string,
	userFolder: string,
	{ discard }: { discard?: string } = {},
): Promise<void> {
	const nodesFolder = join(userFolder, '.n8n', 'nodes');
	await mkdir(nodesFolder, { recursive: true });
	const flags = ['--omit=dev', '--omit=peer', '--legacy-peer-deps', '--ignore-scripts'];
	await npm(['install', tarball, '--prefix', nodesFolder, '--prefer-offline', ...flags], {
		cwd: nodesFolder,
		discard,
	});
}
