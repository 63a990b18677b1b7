/**
 * Writes the lock files of the n8n versions that this project installs: all, or those named.
 * Run it after changing a version in harness/setup/n8nLine.ts. Each takes a few minutes.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type N8nRelease, SetupProblem, stopOnSignal, triedReleases } from '../harness';
import { fittingNode } from '../harness/setup/fittingNode';
import { lockFileOf, manifestOf } from '../harness/setup/n8nManifest';
import { npm } from '../harness/setup/npm';
import { type LockFile, n8nLock } from './lockFile';

async function main(): Promise<void> {
	stopOnSignal();
	for (const release of releasesNamed(process.argv.slice(2))) {
		const text = n8nLock(await chosenByNpm(release));
		await writeFile(lockFileOf(release), text);
		console.log(`n8n ${release.version}: ${text.split('\n').length - 3} packages locked`);
	}
}

function releasesNamed(versions: readonly string[]): readonly N8nRelease[] {
	const known = triedReleases.map(({ version }) => version);
	const unknown = versions.filter((version) => !known.includes(version));
	if (unknown.length > 0) {
		throw new SetupProblem(`Unknown: ${unknown.join(', ')}. Choose from ${known.join(', ')}.`);
	}
	return triedReleases.filter(({ version }) => versions.length === 0 || versions.includes(version));
}

async function chosenByNpm(release: N8nRelease): Promise<LockFile> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-lock-'));
	try {
		await writeFile(join(folder, 'package.json'), manifestOf(release));
		const node = await fittingNode(release, console.log);
		await npm(['install', '--package-lock-only', '--ignore-scripts'], { cwd: folder, node });
		return JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as LockFile;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof SetupProblem ? error.message : error);
	process.exitCode = 1;
});
