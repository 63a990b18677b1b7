import { join } from 'node:path';
import { SetupProblem } from './report';

/** The n8n release lines that npm has, each pinned to the newest version that installs from the registry. */
export type PinnedLine = '1.x' | '2.x';

/** 3.x exists as a Docker image only, so somebody else has to start it. */
export type N8nLine = PinnedLine | '3.x';

const GIGABYTE = 1e9;

/** One version of n8n, and what it takes to install and run it. Its lock file is in `locks/`. */
export interface N8nRelease {
	readonly line: PinnedLine;
	readonly version: string;
	/** Node majors on which it runs without building its expression engine, which would take a compiler and luck. */
	readonly nodeMajors: readonly number[];
	/** The Node to install if the running one does not fit. */
	readonly nodeVersion: string;
	/** Dependencies whose requested versions are not on the npm registry. */
	readonly overrides: Readonly<Record<string, string>>;
	readonly installedBytes: number;
	/** The installed size plus npm's download cache and the native build. */
	readonly freeBytesToInstall: number;
	/** Settings that only this release knows; others refuse to start with them. */
	readonly settings: Readonly<Record<string, string>>;
}

export const n8nLines: Readonly<Record<PinnedLine, N8nRelease>> = {
	'1.x': {
		line: '1.x',
		version: '1.123.81',
		nodeMajors: [22, 24],
		nodeVersion: '22.23.3',
		overrides: { xlsx: '0.18.5' },
		installedBytes: 1.8 * GIGABYTE,
		freeBytesToInstall: 3.5 * GIGABYTE,
		settings: {},
	},
	'2.x': {
		line: '2.x',
		version: '2.41.1',
		nodeMajors: [24],
		nodeVersion: '24.21.0',
		overrides: { linkedom: '0.18.12', xlsx: '0.18.5' },
		installedBytes: 3 * GIGABYTE,
		freeBytesToInstall: 5 * GIGABYTE,
		settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
	},
};

const older = {
	nodeMajors: [22],
	nodeVersion: n8nLines['1.x'].nodeVersion,
	overrides: n8nLines['1.x'].overrides,
	installedBytes: 1.5 * GIGABYTE,
	freeBytesToInstall: 3 * GIGABYTE,
	settings: {},
};

/** The versions that `npm run test:versions` installs, oldest first: the floor, the pinned lines, and two in between. */
export const triedReleases: readonly N8nRelease[] = [
	{ ...older, line: '1.x', version: '1.70.0' },
	{ ...older, line: '1.x', version: '1.100.1' },
	n8nLines['1.x'],
	{ ...older, line: '2.x', version: '2.0.3' },
	n8nLines['2.x'],
];

const LINES: Readonly<Record<number, N8nLine>> = { 1: '1.x', 2: '2.x', 3: '3.x' };

/** The line of an n8n that somebody else has started. */
export function lineOf(version: string): N8nLine {
	const line = LINES[majorOf(version)];
	if (line) return line;
	throw new SetupProblem(
		`n8n ${version} is of no known line. Add it to N8nLine, and look where the harness treats lines differently.`,
	);
}

/** An installed n8n is good enough if it has the same major version and at least the pinned minor version. */
export function isSupportedVersion(pinned: string, version: string): boolean {
	return majorOf(version) === majorOf(pinned) && isAtLeast(version, pinned);
}

/** Whether a version is this one or a later one; the third number does not count. */
export function isAtLeast(version: string, earliest: string): boolean {
	const [major, minor] = numbersOf(version);
	const [earliestMajor, earliestMinor] = numbersOf(earliest);
	return major > earliestMajor || (major === earliestMajor && minor >= earliestMinor);
}

export function majorOf(version: string): number {
	return numbersOf(version)[0];
}

function numbersOf(version: string): [major: number, minor: number] {
	const [major = Number.NaN, minor = Number.NaN] = version.replace(/^v/, '').split('.').map(Number);
	return [major, minor];
}

/** The package.json of the folder where an n8n is installed. */
export function manifestOf({ version, overrides }: N8nRelease): string {
	return JSON.stringify({ private: true, overrides, dependencies: { n8n: version } });
}

/** Written by `npm run lock:n8n`. */
export function lockFileOf({ version }: Pick<N8nRelease, 'version'>): string {
	return join(__dirname, 'locks', `${version}.json`);
}

interface LockedPackage {
	readonly name?: string;
	readonly version?: string;
	readonly resolved?: string;
}

interface LockFile {
	readonly packages: Readonly<Record<string, LockedPackage>>;
}

/**
 * The lock file with the URL of each package at the registry that npm uses here. Without a URL, npm first asks the
 * registry for it, which doubles the number of requests.
 */
export function lockWithAddresses(text: string, registry: string): string {
	const lock = JSON.parse(text) as LockFile;
	const packages: Record<string, LockedPackage> = {};
	for (const [path, entry] of Object.entries(lock.packages)) {
		packages[path] = { ...entry, resolved: addressOf(path, entry, registry.replace(/\/*$/, '')) };
	}
	return JSON.stringify({ ...lock, packages });
}

function addressOf(path: string, { name, version }: LockedPackage, registry: string) {
	// The folder itself, which has the empty path, has no URL.
	if (version === undefined) return undefined;
	const fullName = name ?? path.split('node_modules/').at(-1) ?? '';
	return `${registry}/${fullName}/-/${fullName.split('/').at(-1)}-${version}.tgz`;
}
