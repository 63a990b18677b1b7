import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type N8nProgram, type RunningN8n, startN8n } from '../../harness';
import { installPackage } from '../../harness/setup/installPackage';

/** A busy machine is no reason to give up. */
export const START_LIMIT = 300_000;

/**
 * A user folder with the package installed once, for one n8n after the other: only a new n8n shows how much memory the
 * work itself takes.
 */
export class N8nInFolder {
	private readonly userFolder = mkdtempSync(join(tmpdir(), 'call-verification-load-'));

	private constructor(private readonly program: N8nProgram) {}

	static async prepare(program: N8nProgram, tarball: string): Promise<N8nInFolder> {
		const folder = new N8nInFolder(program);
		process.on('exit', () => folder.remove());
		await installPackage(tarball, folder.userFolder);
		return folder;
	}

	async start(settings: Readonly<Record<string, string>> = {}): Promise<RunningN8n> {
		return await startN8n(this.program, {
			userFolder: this.userFolder,
			startLimit: START_LIMIT,
			settings,
		});
	}

	remove(): void {
		rmSync(this.userFolder, { recursive: true, force: true });
	}
}
