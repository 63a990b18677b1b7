/** The part of npm's lock files that this project uses. */
interface LockedPackage {
	readonly version?: string;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly dev?: boolean;
	/** No package needs it: npm leaves such entries behind when it moves a package in the tree. */
	readonly extraneous?: boolean;
}

/** By path: "" is the project itself, "node_modules/a/node_modules/b" a package. */
type LockedPackages = Readonly<Record<string, LockedPackage>>;

export interface LockFile {
	readonly packages: LockedPackages;
}

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

/** The lock file with its missing platform packages, in npm's order. */
export function completed<T extends LockFile>(lock: T): T {
	const all = { ...lock.packages, ...missingPlatformPackages(lock.packages) };
	const sorted: LockedPackages = Object.fromEntries(
		// The project itself has the empty path and comes first.
		Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en')),
	);
	return { ...lock, packages: sorted };
}

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
