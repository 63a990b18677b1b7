import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cacheFolder';
import { majorOf, n8nLines, type N8nRelease, type PinnedLine } from './n8nLine';
import { npm } from './npm';
import type { Report } from './report';
import { SetupProblem } from './setupProblem';
import { installOnce } from './stagedInstall';

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
export function bringsItsOwnNode(): boolean {
	return process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
}

export function fitsRunningNode({ nodeMajors }: N8nRelease): boolean {
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
