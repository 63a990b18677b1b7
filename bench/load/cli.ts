import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { endWithNpm } from '../../harness/process/guardedProcess';
import { failIfBroken } from '../bound';
import { markdownTable, printTable } from '../table';
import { DOCS, fillPage, writeFormatted } from '../markedPage';
import { EmulatorProcess } from '../services';
import {
	type N8nProgram,
	n8nProgram,
	packProject,
	stopAllGuarded,
	stopOnSignal,
} from '../../harness';
import { boundsOf, type Events, type Files, type Results, results } from './results';
import { type EventRounds, measureEvents } from './events';
import { ENGINES, MODES, N8nInFolder } from './stages';
import { figuresTable, pageParts } from './page';
import { type FilesExtent, measureFiles } from './files';
import { measureLists } from './lists';
import { measureResume, type ResumeSizes } from './resume';
import { tablesOf } from './tables';
import { measureWorkers, type WorkersExtent } from './workers';

const USAGE = `Usage: npm run load [-- --save] [--only lists|files|files/10000|files/100000|events|events/regular|events/queue|workers|resume] [--quick] [--seed N] | --draw
  --only   measures one part; with --save, the other parts' figures stay
  --quick  short lists and few events, to test that everything works; the figures mean little
  --seed   repeats the kills of the run that printed this seed
  --save   also writes docs/maintainers/load.json and the pages made from it
  --draw   measures nothing, but rewrites the pages, and prints all saved tables`;

const RESULTS = join(DOCS, 'load.json');
const EVENT_MODES = ['regular', 'queue'] as const;

interface Extent {
	readonly sizes: readonly number[];
	readonly files: readonly FilesExtent[];
	readonly rounds: Readonly<Record<Events['engine'], EventRounds>>;
	readonly workers: WorkersExtent;
	readonly resume: Omit<ResumeSizes, 'seed'>;
}

/**
 * One round of 60 differs from the next by a seventh, whichever the contender: with 30 rounds, the median is known to
 * about 0.03, and the bound on demand leaves three times that. With n8n's defaults, an event costs several times as much
 * CPU time and the speed has no bound, so there are fewer rounds.
 */
const WHOLE: Extent = {
	sizes: [1_000, 10_000],
	files: [
		{ rows: 10_000, rounds: 3, isLong: false },
		{ rows: 100_000, rounds: 1, isLong: true },
	],
	rounds: {
		default: { rounds: 4, events: 60 },
		onDemand: { rounds: 30, events: 60 },
	},
	workers: { numbers: 5_000, others: 995_000 },
	resume: { short: 10_000, long: 100_000, kills: 2 },
};
const QUICK: Extent = {
	sizes: [200],
	files: [
		{ rows: 300, rounds: 1, isLong: false },
		{ rows: 600, rounds: 1, isLong: true },
	],
	rounds: {
		default: { rounds: 2, events: 20 },
		onDemand: { rounds: 2, events: 60 },
	},
	workers: { numbers: 1_000, others: 1_000 },
	resume: { short: 500, long: 1_500, kills: 2 },
};

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			save: { type: 'boolean' },
			quick: { type: 'boolean' },
			draw: { type: 'boolean' },
			only: { type: 'string' },
			seed: { type: 'string' },
		},
	});
	if (values.draw) {
		const saved = savedBefore();
		if (saved === undefined) throw new Error('Nothing has been saved yet');
		tablesOf(saved).forEach(printTable);
		return await writePages(saved);
	}
	const { sizes, files, rounds, workers, resume } = values.quick ? QUICK : WHOLE;
	const seed = Number(values.seed ?? Date.now() % 1_000_000);
	const [only, onlyMode] = values.only?.split('/') ?? [];
	const wants = (part: string) => only === undefined || only === part;
	const isWanted = (rows: number) => onlyMode === undefined || onlyMode === String(rows);
	const modes = EVENT_MODES.filter((mode) => onlyMode === undefined || onlyMode === mode);

	stopOnSignal();
	endWithNpm();
	const program = await n8nProgram('2.x');
	const packed = await packProject();
	try {
		const found: Results = {
			takenAt: new Date().toISOString(),
			n8n: program.version,
			cores: availableParallelism(),
			lists: wants('lists')
				? await inFolder(
						program,
						packed.tarball,
						async (folder, service) => await measureLists(folder, service, sizes),
					)
				: [],
			files: wants('files')
				? await filesIn(
						program,
						packed.tarball,
						files.filter(({ rows }) => isWanted(rows)),
					)
				: [],
			events: wants('events') ? await eventsIn(program, packed.tarball, modes, rounds) : [],
			workers: wants('workers')
				? await withService(
						async (service) => await measureWorkers(program, packed.tarball, service, workers),
					)
				: [],
			resume: wants('resume')
				? await measureResume(program, packed.tarball, { ...resume, seed })
				: undefined,
		};
		tablesOf(found).forEach(printTable);
		if (values.save) await save(found);
		failIfBroken(boundsOf(found));
	} finally {
		await packed.remove();
		await stopAllGuarded();
	}
}

async function withService<T>(work: (service: EmulatorProcess) => Promise<T>): Promise<T> {
	const service = new EmulatorProcess();
	try {
		return await work(service);
	} finally {
		service.end();
	}
}

async function inFolder<T>(
	program: N8nProgram,
	tarball: string,
	work: (folder: N8nInFolder, service: EmulatorProcess) => Promise<T>,
): Promise<T> {
	return await withService(async (service) => {
		const folder = await N8nInFolder.prepare(program, tarball);
		try {
			return await work(folder, service);
		} finally {
			folder.remove();
		}
	});
}

async function filesIn(
	program: N8nProgram,
	tarball: string,
	extents: readonly FilesExtent[],
): Promise<Files[]> {
	return await inFolder(program, tarball, async (folder, service) => {
		const found: Files[] = [];
		for (const extent of extents) found.push(await measureFiles(folder, service, extent));
		return found;
	});
}

async function eventsIn(
	program: N8nProgram,
	tarball: string,
	modes: ReadonlyArray<Events['mode']>,
	rounds: Extent['rounds'],
): Promise<Events[]> {
	const found: Events[] = [];
	for (const mode of modes) {
		for (const engine of ['default', 'onDemand'] as const) {
			console.log(`Measuring: events, ${mode} mode, isolates ${engine}`);
			const figures = await MODES[mode](
				program,
				tarball,
				ENGINES[engine],
				async (stage) => await measureEvents(stage, rounds[engine]),
			);
			found.push({ mode, engine, ...figures });
		}
	}
	return found;
}

/** A part that was not measured keeps its figures. */
async function save(found: Results): Promise<void> {
	const known = savedBefore();
	const isNew = (rows: number) => !found.files.some((files) => files.rows === rows);
	const whole: Results = {
		...found,
		lists: found.lists.length > 0 ? found.lists : (known?.lists ?? []),
		files: [...(known?.files ?? []).filter(({ rows }) => isNew(rows)), ...found.files].sort(
			(one, other) => one.rows - other.rows,
		),
		events: EVENT_MODES.flatMap((mode) => {
			const ofMode = (events: readonly Events[]) => events.filter((event) => event.mode === mode);
			const measured = ofMode(found.events);
			return measured.length > 0 ? measured : ofMode(known?.events ?? []);
		}),
		workers: found.workers.length > 0 ? found.workers : (known?.workers ?? []),
		resume: found.resume ?? known?.resume,
	};
	await writeFormatted(RESULTS, JSON.stringify(whole));
	await writePages(whole);
}

async function writePages(whole: Results): Promise<void> {
	await fillPage(join(DOCS, 'measurements.md'), 'load', [
		`Taken with n8n ${whole.n8n} on ${whole.cores} cores.`,
		...pageParts(whole),
	]);
	await fillPage(join(DOCS, '..', 'speed.md'), 'figures', [
		markdownTable(figuresTable(whole), 'right'),
	]);
}

function savedBefore(): Results | undefined {
	try {
		return results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

main().catch((error: unknown) => {
	console.error(error);
	console.error(USAGE);
	process.exitCode = 1;
});
