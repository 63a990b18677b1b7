/** The two n8n release lines that people run, each pinned to the newest version that installs from the registry. */
export type N8nLine = '1.x' | '2.x';

const GIGABYTE = 1e9;

interface N8nLineFacts {
	readonly version: string;
	/** Node majors for which the line ships its prebuilt expression engine; others would need a compiler and luck. */
	readonly nodeMajors: readonly number[];
	/** The Node that is installed when the running one does not fit. */
	readonly nodeVersion: string;
	/** Dependencies whose requested versions are not on the npm registry. */
	readonly overrides: Readonly<Record<string, string>>;
	readonly installedBytes: number;
	/** Installed size plus npm's download cache and the native build. */
	readonly freeBytesToInstall: number;
	/** Settings that only this line knows; the other refuses to start with them. */
	readonly settings: Readonly<Record<string, string>>;
}

export const n8nLines: Readonly<Record<N8nLine, N8nLineFacts>> = {
	'1.x': {
		version: '1.123.81',
		nodeMajors: [22, 24],
		nodeVersion: '22.23.3',
		overrides: { xlsx: '0.18.5' },
		installedBytes: 1.8 * GIGABYTE,
		freeBytesToInstall: 3.5 * GIGABYTE,
		settings: {},
	},
	'2.x': {
		version: '2.41.1',
		nodeMajors: [24],
		nodeVersion: '24.21.0',
		overrides: { linkedom: '0.18.12', xlsx: '0.18.5' },
		installedBytes: 3 * GIGABYTE,
		freeBytesToInstall: 5 * GIGABYTE,
		settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
	},
};

/** An n8n found on the machine is good enough when it is of the same major and not older than the pinned minor. */
export function isSupportedVersion(line: N8nLine, version: string): boolean {
	const [major, minor] = numbersOf(version);
	const [pinnedMajor, pinnedMinor] = numbersOf(n8nLines[line].version);
	return major === pinnedMajor && minor >= pinnedMinor;
}

export function majorOf(version: string): number {
	return numbersOf(version)[0];
}

function numbersOf(version: string): [major: number, minor: number] {
	const [major = Number.NaN, minor = Number.NaN] = version.replace(/^v/, '').split('.').map(Number);
	return [major, minor];
}
