import { execFile } from 'node:child_process';
import { access, constants, realpath, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cacheFolder';
import { fittingNode } from './fittingNode';
import { isSupportedVersion, type N8nLine, n8nLines } from './n8nLine';
import { npm } from './npm';
import type { Report } from './report';
import { installOnce } from './stagedInstall';

/** An n8n that can be started. */
export interface N8nProgram {
	readonly line: N8nLine;
	readonly version: string;
	readonly node: string;
	/** n8n's start script, to be run with `node`. */
	readonly script: string;
}

interface ProgramOptions {
	readonly report?: Report;
	/** Take an n8n from the PATH if its version is supported. Tests want the pinned version and say no. */
	readonly acceptInstalled?: boolean;
}

export async function n8nProgram(
	line: N8nLine,
	{ report = console.log, acceptInstalled = false }: ProgramOptions = {},
): Promise<N8nProgram> {
	const node = await fittingNode(line, report);
	const found = acceptInstalled ? await programOnPath(line, node) : undefined;
	if (found) {
		report(`Using n8n ${found.version} from ${found.script}`);
		return found;
	}
	return await programInCache(line, node, report);
}

async function programOnPath(line: N8nLine, node: string): Promise<N8nProgram | undefined> {
	for (const folder of (process.env.PATH ?? '').split(delimiter)) {
		const command = join(folder, 'n8n');
		const executable = await access(command, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (!executable) continue;
		const script = await realpath(command);
		const version = await versionOf(script, node);
		if (version && isSupportedVersion(line, version) && (await databaseDriverLoads(script, node))) {
			return { line, version, node, script };
		}
	}
	return undefined;
}

async function programInCache(line: N8nLine, node: string, report: Report): Promise<N8nProgram> {
	const { version, overrides, installedBytes, freeBytesToInstall } = n8nLines[line];
	const scriptIn = (folder: string) => join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
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
						const manifest = { private: true, overrides, dependencies: { n8n: version } };
						await writeFile(join(partial, 'package.json'), JSON.stringify(manifest));
						const logFile = join(partial, 'install.log');
						await npm(['install', '--ignore-scripts'], { cwd: partial, node, logFile });
					},
				},
				{
					// The one native part that comes without a prebuilt binary in its package.
					name: 'database driver',
					run: async (partial) => {
						const logFile = join(partial, 'install.log');
						await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], {
							cwd: partial,
							node,
							logFile,
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
	return { line, version, node, script: scriptIn(folder) };
}

/** npm writes this file last, when every package is in place. */
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

/** `--version` answers without touching the database, so it proves little about the native part. */
async function databaseDriverLoads(script: string, node: string): Promise<boolean> {
	return await promisify(execFile)(node, ['-e', 'require("sqlite3")'], {
		cwd: dirname(script),
	}).then(
		() => true,
		() => false,
	);
}
