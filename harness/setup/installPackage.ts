import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { npm } from './npm';

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
