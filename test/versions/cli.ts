import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { endWithNpm } from '../../harness/process/guardedProcess';
import { markdownTable, printTable } from '../../bench/table';
import { DOCS, fillPage, writeFormatted } from '../../bench/markedPage';
import { startEmulatedService } from '../../harness/emulatedService';
import {
	connect,
	n8nProgram,
	packProject,
	SetupProblem,
	startN8n,
	stopAllGuarded,
	stopOnSignal,
} from '../../harness';
import { readFlags, USAGE } from './flags';
import { tryForeignN8n } from './foreignN8n';
import { results, type TriedN8n } from './results';
import { tableOf } from './table';
import { isResultOf, titleOf, tries } from './tries';
import { tryN8n } from './tryN8n';

const RESULTS = join(DOCS, 'versions.json');
const PAGE = join(DOCS, '..', 'installation.md');

type Try = (typeof tries)[number];

async function main(): Promise<void> {
	const { foreign, wanted, save } = readFlags(process.argv.slice(2));
	endWithNpm();
	const found = foreign ? [await tryForeignN8n(foreign)] : await tryEach(wanted);
	printTable(tableOf(found));
	for (const { n8n, problems } of found) {
		for (const problem of problems) console.error(`n8n ${n8n}: ${problem}`);
	}
	if (found.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
	else if (save) await saveResults(found);
}

async function tryEach(wanted: readonly Try[]): Promise<TriedN8n[]> {
	stopOnSignal();
	const packed = await packProject();
	try {
		const found: TriedN8n[] = [];
		for (const each of wanted) found.push(await triedIn(each, packed.tarball));
		return found;
	} finally {
		await packed.remove();
		await stopAllGuarded();
	}
}

async function triedIn(wanted: Try, tarball: string): Promise<TriedN8n> {
	const { release, defaults } = wanted;
	const n8n = await startN8n(await n8nProgram(release), { packages: [tarball], defaults });
	console.log(`${titleOf(wanted)} answered after ${n8n.startUpTime} ms`);
	const client = await connect(n8n);
	const service = await startEmulatedService(client);
	try {
		const tried = await tryN8n({ url: n8n.url, client, ...service });
		if (tried.problems.length > 0) console.log(n8n.log().slice(-5_000));
		return { ...tried, defaults };
	} finally {
		await service.emulator.close();
		await n8n.stop();
	}
}

/** What was not tried this time keeps its results. */
async function saveResults(found: readonly TriedN8n[]): Promise<void> {
	const known = [...found, ...savedBefore()];
	const whole = tries.flatMap((each) => known.find((tried) => isResultOf(each, tried)) ?? []);
	await writeFormatted(RESULTS, JSON.stringify(whole));
	await fillPage(PAGE, 'versions', [markdownTable(tableOf(whole), 'right')]);
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
	console.error(error instanceof SetupProblem ? error.message : error);
	console.error(USAGE);
	process.exitCode = 1;
});
