import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cacheFolder';
import { majorOf, type N8nLine, n8nLines } from './n8nLine';
import { npm } from './npm';
import type { Report } from './report';
import { SetupProblem } from './setupProblem';
import { installOnce } from './stagedInstall';

const NODE_BYTES = 190e6;

/** Path of a Node that can run this line of n8n: the running one if it fits, else one from npm, kept in the cache. */
export async function fittingNode(line: N8nLine, report: Report): Promise<string> {
	const { nodeMajors, nodeVersion } = n8nLines[line];
	if (nodeMajors.includes(majorOf(process.versions.node))) return process.execPath;

	const packageName = nodePackageName();
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

function nodePackageName(): string {
	const { platform, arch } = process;
	if (platform !== 'linux' || !['x64', 'arm64'].includes(arch)) {
		throw new SetupProblem(
			`A real n8n is set up on Linux (Debian or Ubuntu, x64 or arm64) only, and this is ${platform} ${arch}. ` +
				'Use such a machine or a container.',
		);
	}
	return `node-linux-${arch}`;
}
