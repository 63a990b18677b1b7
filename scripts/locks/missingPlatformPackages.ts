import type { LockedPackage, LockedPackages } from './lockFile';

const PLATFORM =
	/(?<os>android|aix|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-?(?<rest>.*)$/;
const CPUS = ['arm64', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'arm'];

/** Lock file entries for optional packages that others depend on but the lock file lacks. */
export function missingPlatformPackages(packages: LockedPackages): LockedPackages {
	const missing: Record<string, LockedPackage> = {};
	for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
		for (const [name, range] of Object.entries(optionalDependencies)) {
			if (!isLocked(packages, path, name)) {
				missing[`node_modules/${name}`] = { ...entryFor(name, range), ...(dev && { dev }) };
			}
		}
	}
	return missing;
}

/** npm looks for a package next to the one that needs it, and then further up. */
function isLocked(packages: LockedPackages, path: string, name: string): boolean {
	const folder = path === '' ? '' : `${path}/`;
	if (packages[`${folder}node_modules/${name}`]) return true;
	return (
		path !== '' &&
		isLocked(packages, path.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name)
	);
}

function entryFor(name: string, range: string): LockedPackage {
	const { os, rest = '' } = PLATFORM.exec(name)?.groups ?? {};
	if (os === undefined) throw new Error(`${name} is missing, and its name contains no platform`);
	const cpu = CPUS.find((candidate) => rest.startsWith(candidate));
	const platform = {
		version: range.replace(/^[\^~]/, ''),
		license: 'MIT',
		optional: true,
		os: [os],
		...(cpu && { cpu: [cpu] }),
		...(rest.includes('musl') && { libc: ['musl'] }),
	};
	return platform;
}
