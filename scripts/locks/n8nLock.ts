import { completed } from './completed';
import type { LockedPackage, LockFile } from './lockFile';

/** What `npm ci` uses; other fields of a package (licence, funding, engines) would be half of the file. */
const NEEDED = [
	'name',
	'version',
	'integrity',
	'dependencies',
	'optionalDependencies',
	'peerDependencies',
	'peerDependenciesMeta',
	'optional',
	'peer',
	'os',
	'cpu',
	'libc',
	'bin',
	'hasInstallScript',
];

/** The lock file of an n8n as stored in this repository: complete, without download URLs, one line per package. */
export function n8nLock({ packages }: LockFile): string {
	const wanted = Object.entries(packages).filter(([, { extraneous }]) => !extraneous);
	const whole = completed({ packages: Object.fromEntries(wanted) });
	const lines = Object.entries(whole.packages).map(
		([path, entry]) => `${JSON.stringify(path)}:${JSON.stringify(entry, onlyNeeded(entry))}`,
	);
	return `{"lockfileVersion":3,"requires":true,"packages":{\n${lines.join(',\n')}\n}}\n`;
}

/** For JSON.stringify: omits the other fields of this entry, but nothing inside the fields that stay. */
function onlyNeeded(entry: LockedPackage) {
	return function (this: unknown, key: string, value: unknown): unknown {
		return this === entry && !NEEDED.includes(key) ? undefined : value;
	};
}
