import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type LockFile, missingPlatformPackages } from '../../scripts/lockFile';
import { lockFileOf, triedReleases } from '../../harness/setup/n8nReleases';

/** By the command that rewrites them. */
const LOCKS: ReadonlyArray<readonly [command: string, file: string]> = [
	['npm run lock', join(__dirname, '..', '..', 'package-lock.json')],
	...triedReleases.map(
		(release) => [`npm run lock:n8n -- ${release.version}`, lockFileOf(release)] as const,
	),
];

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as LockFile;

describe.each(LOCKS)('the lock file that “%s” writes', (command, file) => {
	it('is complete for “npm ci” on every platform', () => {
		expect({ command, missing: missingPlatformPackages(read(file).packages) }).toEqual({
			command,
			missing: {},
		});
	});
});
