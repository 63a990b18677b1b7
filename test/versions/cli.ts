import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { endWithNpm } from '../../harness/process/endWithNpm';
import { DOCS, fillPage, markdownTable, writeFormatted } from '../../bench/markedPage';
import { printTable } from '../../bench/printTable';
import {
	type N8nRelease,
	n8nProgram,
	packProject,
	startN8n,
	stopAllGuarded,
	stopOnSignal,
	triedReleases,
} from '../../harness';
import { results, type TriedN8n } from './results';
import { tableOf } from './table';
import { tryN8n } from './tryN8n';

const USAGE = `Usage: npm run test:versions [-- --save] [--only VERSION]
  --only   tries one version; with --save, the others' results stay
  --save   also writes docs/maintainers/versions.json and the table in docs/installation.md`;

const RESULTS = join(DOCS, 'versions.json');
const PAGE = join(DOCS, '..', 'installation.md');

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { save: { type: 'boolean' }, only: { type: 'string' } },
	});
	const releases = triedReleases.filter(({ version }) =>
		[undefined, version].includes(values.only),
	);
	if (releases.length === 0) throw new Error(`n8n ${values.only} is none of those to try`);

	stopOnSignal();
	endWithNpm();
	const packed = await packProject();
	try {
		const found: TriedN8n[] = [];
		for (const release of releases) found.push(await triedIn(release, packed.tarball));
		printTable(tableOf(found));
		for (const { n8n, problems } of found) {
			for (const problem of problems) console.error(`n8n ${n8n}: ${problem}`);
		}
		if (found.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
		else if (values.save) await save(found);
	} finally {
		await packed.remove();
		await stopAllGuarded();
	}
}

async function triedIn(release: N8nRelease, tarball: string): Promise<TriedN8n> {
	const program = await n8nProgram(release);
	const n8n = await startN8n(program, { packages: [tarball] });
	console.log(`n8n ${n8n.version} answered after ${n8n.startUpTime} ms`);
	try {
		const tried = await tryN8n(n8n);
		if (tried.problems.length > 0) console.log(n8n.log().slice(-5_000));
		const node = execFileSync(program.node, ['--version'], { encoding: 'utf8' });
		const date = new Date().toISOString().slice(0, 10);
		return { ...tried, node: node.trim().replace('v', ''), date };
	} finally {
		await n8n.stop();
	}
}

/** Versions not tested this time keep their results. */
async function save(found: readonly TriedN8n[]): Promise<void> {
	const known = [...found, ...savedBefore()];
	const whole = triedReleases.flatMap(
		({ version }) => known.find(({ n8n }) => n8n === version) ?? [],
	);
	await writeFormatted(RESULTS, JSON.stringify(whole));
	await fillPage(PAGE, 'versions', [markdownTable(tableOf(whole))]);
}

function savedBefore(): TriedN8n[] {
	try {
		return results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw error;
	}
}

main().catch((error: unknown) => {
	console.error(error);
	console.error(USAGE);
	process.exitCode = 1;
});
