import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { completed } from '../../scripts/locks/completed';
import type { LockedPackages, LockFile } from '../../scripts/locks/lockFile';
import { missingPlatformPackages } from '../../scripts/locks/missingPlatformPackages';
import { triedReleases } from '../../harness/setup/n8nLine';
import { lockWithAddresses } from '../../harness/setup/lockWithAddresses';
import { lockFileOf } from '../../harness/setup/n8nManifest';

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

describe('a lock file', () => {
	/** With more fields than the types declare, as in a real lock file. */
	const packages = {
		'': { dependencies: { n8n: '1.0.0' } },
		'node_modules/n8n': {
			version: '1.0.0',
			resolved: 'https://registry.example/n8n-1.0.0.tgz',
			integrity: 'sha512-x',
			license: 'SUL',
			engines: { node: '>=20' },
			bin: { n8n: 'bin/n8n' },
			dependencies: { license: '^1.0.0' },
			optionalDependencies: { '@native/linux-x64': '2.0.0', '@native/darwin-arm64': '^2.0.0' },
		},
		'node_modules/@native/linux-x64': { version: '2.0.0', optional: true },
		'node_modules/left-over': { version: '3.0.0', extraneous: true },
	};

	it('gets the packages of other platforms, marked as development like their dependents', () => {
		const whole: LockedPackages = completed({ packages }).packages;
		expect(Object.keys(whole)).toEqual([
			'',
			'node_modules/@native/darwin-arm64',
			'node_modules/@native/linux-x64',
			'node_modules/left-over',
			'node_modules/n8n',
		]);
		expect(whole['node_modules/@native/darwin-arm64']).toEqual({
			version: '2.0.0',
			license: 'MIT',
			optional: true,
			os: ['darwin'],
			cpu: ['arm64'],
		});
		const dev = { ...packages, 'node_modules/n8n': { ...packages['node_modules/n8n'], dev: true } };
		const wholeDev: LockedPackages = completed({ packages: dev }).packages;
		expect(wholeDev['node_modules/@native/darwin-arm64']?.dev).toBe(true);
	});

	it.each(['https://mirror.example/npm/', 'https://mirror.example/npm'])(
		'gets addresses at %s when it is used, so that npm need not ask for them',
		(registry) => {
			const lock = {
				lockfileVersion: 3,
				packages: {
					'': { dependencies: { n8n: '1.0.0' } },
					'node_modules/n8n': { version: '1.0.0', integrity: 'sha512-x' },
					'node_modules/n8n/node_modules/@n8n/config': { version: '2.0.0' },
					'node_modules/other-name': { name: '@scope/real', version: '3.0.0-rc.1' },
				},
			};
			const { packages, ...rest } = JSON.parse(
				lockWithAddresses(JSON.stringify(lock), registry),
			) as typeof lock;
			expect(rest).toEqual({ lockfileVersion: 3 });
			expect(packages).toEqual({
				'': { dependencies: { n8n: '1.0.0' } },
				'node_modules/n8n': {
					version: '1.0.0',
					integrity: 'sha512-x',
					resolved: 'https://mirror.example/npm/n8n/-/n8n-1.0.0.tgz',
				},
				'node_modules/n8n/node_modules/@n8n/config': {
					version: '2.0.0',
					resolved: 'https://mirror.example/npm/@n8n/config/-/config-2.0.0.tgz',
				},
				'node_modules/other-name': {
					name: '@scope/real',
					version: '3.0.0-rc.1',
					resolved: 'https://mirror.example/npm/@scope/real/-/real-3.0.0-rc.1.tgz',
				},
			});
		},
	);
});
