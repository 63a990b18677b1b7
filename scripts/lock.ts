import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type N8nRelease, SetupProblem, stopOnSignal, triedReleases } from '../harness';
import { fittingNode } from '../harness/setup/n8nProgram';
import { lockFileOf, manifestOf } from '../harness/setup/n8nReleases';
import { npm } from '../harness/setup/npm';
import { completed, type LockFile, n8nLock } from './lockFile';
import { ROOT } from './project';

/** `lock.ts` is for the lock file of this project, `lock.ts n8n` for those of n8n. */
async function main(): Promise<void> {
	const [what, ...versions] = process.argv.slice(2);
	if (what === 'n8n') await lockN8n(versions);
	else completeLock();
}

/**
 * Adds the platform packages that npm leaves out of the lock file if a registry does not have them. Without their
 * names, `npm ci` considers the lock file incomplete, although it would never fetch them. Run it after changing
 * dependencies.
 */
function completeLock(): void {
	const file = join(ROOT, 'package-lock.json');
	const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
	const whole = completed(lock);
	writeFileSync(file, `${JSON.stringify(whole, null, '\t')}\n`);

	const added = Object.keys(whole.packages).length - Object.keys(lock.packages).length;
	console.log(`${added} platform packages added to the lock file`);
}

/**
 * Writes the lock files of the n8n versions that this project installs: all, or those named.
 * Run it after changing a version in harness/setup/n8nReleases.ts. Each takes a few minutes.
 */
async function lockN8n(versions: readonly string[]): Promise<void> {
	stopOnSignal();
	for (const release of releasesNamed(versions)) {
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
