import { execFile } from 'node:child_process';
import { access, constants, readFile, realpath, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, installOnce } from './installFolder';
import {
	isSupportedVersion,
	lockFileOf,
	lockWithAddresses,
	majorOf,
	manifestOf,
	n8nLines,
	type N8nRelease,
	type PinnedLine,
} from './n8nReleases';
import { npm } from './npm';
import { type Report, SetupProblem } from './report';

const NODE_BYTES = 190e6;

/** Path of a Node that can run this n8n: the running one if it fits, otherwise one from npm, kept in the cache. */
export async function fittingNode(release: N8nRelease, report: Report): Promise<string> {
	if (fitsRunningNode(release)) return process.execPath;

	const { nodeMajors, nodeVersion } = release;
	const packageName = nodePackageName(release);
	const nodeIn = (folder: string) => join(folder, 'node_modules', packageName, 'bin', 'node');
	const folder = join(cacheFolder(), `node-${majorOf(nodeVersion)}`);
	await installOnce(
		{
			title: `Node.js ${nodeVersion}`,
			folder,
			installedBytes: NODE_BYTES,
			freeBytesToInstall: 2 * NODE_BYTES,
			steps: [
				{
					name: 'download',
					growsTo: NODE_BYTES,
					run: async (partial) => {
						const manifest = { private: true, dependencies: { [packageName]: nodeVersion } };
						await writeFile(join(partial, 'package.json'), JSON.stringify(manifest));
						await npm(['install', '--ignore-scripts'], { cwd: partial });
					},
				},
			],
			works: async (candidate) => nodeMajors.includes(await majorVersionOf(nodeIn(candidate))),
		},
		report,
	);
	return nodeIn(folder);
}

async function majorVersionOf(node: string): Promise<number> {
	const answer = await promisify(execFile)(node, ['--version']).catch(() => ({ stdout: '' }));
	return majorOf(answer.stdout.trim());
}

/** npm has every version of Node, but only for Linux; elsewhere, the user has to install one. */
function bringsItsOwnNode(): boolean {
	return process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
}

function fitsRunningNode({ nodeMajors }: N8nRelease): boolean {
	return nodeMajors.includes(majorOf(process.versions.node));
}

function nodePackageName({ version, nodeMajors }: N8nRelease): string {
	if (bringsItsOwnNode()) return `node-linux-${process.arch}`;
	throw new SetupProblem(
		`n8n ${version} needs Node ${nodeMajors.join(' or ')}, and this is Node ${process.versions.node}. ` +
			`Install Node ${nodeMajors[0]} from nodejs.org and start again.`,
	);
}

/** The newest n8n that can run: any on Linux, elsewhere what the user's own Node supports. */
export function startableLine(): PinnedLine {
	const fits = bringsItsOwnNode() || fitsRunningNode(n8nLines['2.x']);
	return fits || !fitsRunningNode(n8nLines['1.x']) ? '2.x' : '1.x';
}

/** An n8n that can be started. */
export interface N8nProgram {
	readonly line: PinnedLine;
	readonly version: string;
	readonly node: string;
	/** n8n's start script, to run with `node`. */
	readonly script: string;
	readonly settings: N8nRelease['settings'];
}

interface ProgramOptions {
	readonly report?: Report;
	/** Uses an n8n from the PATH if its version is supported. False in tests, which need the pinned version. */
	readonly acceptInstalled?: boolean;
}

export async function n8nProgram(
	wanted: PinnedLine | N8nRelease,
	{ report = console.log, acceptInstalled = false }: ProgramOptions = {},
): Promise<N8nProgram> {
	const release = typeof wanted === 'string' ? n8nLines[wanted] : wanted;
	const node = await fittingNode(release, report);
	const found = acceptInstalled ? await programOnPath(release, node) : undefined;
	if (found) {
		report(`Using n8n ${found.version} from ${found.script}`);
		return found;
	}
	return await programInCache(release, node, report);
}

async function programOnPath(
	{ line, version: pinned, settings }: N8nRelease,
	node: string,
): Promise<N8nProgram | undefined> {
	for (const folder of (process.env.PATH ?? '').split(delimiter)) {
		// On Windows, the command is not a link to the script but a file that starts it, next to the script's folder.
		const command = process.platform === 'win32' ? scriptIn(folder) : join(folder, 'n8n');
		const executable = await access(command, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (!executable) continue;
		const script = await realpath(command);
		const version = await versionOf(script, node);
		if (
			version &&
			isSupportedVersion(pinned, version) &&
			(await databaseDriverLoads(script, node))
		) {
			return { line, version, node, script, settings };
		}
	}
	return undefined;
}

function scriptIn(folder: string): string {
	return join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
}

async function programInCache(
	release: N8nRelease,
	node: string,
	report: Report,
): Promise<N8nProgram> {
	const { line, version, installedBytes, freeBytesToInstall, settings } = release;
	const folder = join(cacheFolder(), `n8n-${version}`);
	await installOnce(
		{
			title: `n8n ${version}`,
			folder,
			installedBytes,
			freeBytesToInstall,
			steps: [
				{
					name: 'packages',
					growsTo: installedBytes,
					run: async (partial) => {
						await writeFile(join(partial, 'package.json'), manifestOf(release));
						// Installs exactly what was tested, and saves npm minutes of choosing versions.
						const registry = await npm(['config', 'get', 'registry'], { cwd: partial, node });
						const lock = await readFile(lockFileOf(release), 'utf8');
						const logFile = join(partial, 'install.log');
						const install = async (lockFile: string) => {
							await writeFile(join(partial, 'package-lock.json'), lockFile);
							await npm(['ci', '--ignore-scripts'], { cwd: partial, node, logFile });
						};
						// A registry may have its packages at other URLs; then npm asks for each.
						await install(lockWithAddresses(lock, registry.trim())).catch(
							async () => await install(lock),
						);
					},
				},
				{
					// The only native part whose package has no prebuilt binary.
					name: 'database driver',
					run: async (partial) => {
						await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], {
							cwd: partial,
							node,
							logFile: join(partial, 'install.log'),
							// If it has to be compiled, use all cores.
							settings: { npm_config_jobs: 'max' },
						});
					},
				},
			],
			works: async (candidate) => {
				const script = scriptIn(candidate);
				return (
					(await npmHasFinished(candidate)) &&
					(await versionOf(script, node)) === version &&
					(await databaseDriverLoads(script, node))
				);
			},
		},
		report,
	);
	return { line, version, node, script: scriptIn(folder), settings };
}

/** npm writes this file last, after all packages are installed. */
async function npmHasFinished(folder: string): Promise<boolean> {
	return await access(join(folder, 'node_modules', '.package-lock.json')).then(
		() => true,
		() => false,
	);
}

async function versionOf(script: string, node: string): Promise<string | undefined> {
	const answer = await promisify(execFile)(node, [script, '--version']).catch(() => undefined);
	return answer?.stdout.trim();
}

/** `--version` works without the database, so it proves little about the native part. */
async function databaseDriverLoads(script: string, node: string): Promise<boolean> {
	return await promisify(execFile)(node, ['-e', 'require("sqlite3")'], {
		cwd: dirname(script),
	}).then(
		() => true,
		() => false,
	);
}
