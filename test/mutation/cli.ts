import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { DOCS, fillPage, writeFormatted } from '../../bench/markedPage';
import { markdownTable, printTable, type Table } from '../../bench/table';
import { type Equivalent, EQUIVALENT } from './equivalent';

/**
 * Changes the code in thousands of small ways, and lists what no test notices: `npm run test:mutation -- codes`, or
 * `-- codes/cooldown.ts`; without a name, all rooms. `--save` writes the result of each room into the documentation.
 */

const ROOT = join(__dirname, '../..');
const RESULTS = join(DOCS, 'mutants.json');

interface Report {
	readonly files: Readonly<Record<string, { source: string; mutants: Mutant[] }>>;
}

interface Mutant {
	readonly status: string;
	readonly location: { start: { line: number } };
	readonly replacement: string;
}

interface Result {
	readonly room: string;
	readonly mutants: number;
	readonly noticed: number;
	/** Those that no test can notice. */
	readonly equivalent: number;
	readonly minutes: number;
}

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { save: { type: 'boolean', default: false } },
	});
	const results = (positionals.length > 0 ? positionals : rooms()).map(mutate);
	printTable(tableOf(results));
	if (values.save) await save(results);
}

function rooms(): string[] {
	return readdirSync(join(ROOT, 'nodes/CallVerification'), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => name);
}

function mutate(part: string): Result {
	const startedAt = Date.now();
	const config = join(__dirname, 'stryker.config.mjs');
	const { status } = spawnSync('npx', ['stryker', 'run', config], {
		cwd: ROOT,
		env: { ...process.env, MUTATED: part },
		stdio: 'inherit',
	});
	if (status !== 0) throw new Error(`Stryker has failed in ${part}`);
	const { files } = JSON.parse(readFileSync(join(ROOT, 'reports/mutation.json'), 'utf8')) as Report;
	const mutants = Object.entries(files).flatMap(([file, { source, mutants: found }]) =>
		found
			.filter(({ status: state }) => state !== 'Ignored')
			.map((mutant) => ({ ...mutant, file, code: codeOf(mutant, source) })),
	);
	const unnoticed = mutants.filter(
		({ status: state }) => state !== 'Killed' && state !== 'Timeout',
	);
	const unexplained = unnoticed.filter(
		(mutant) => !EQUIVALENT.some((entry) => isOf(entry, mutant)),
	);
	for (const { file, code, location, replacement, status: state } of unexplained) {
		process.exitCode = 1;
		console.log(`${state}: ${file}:${location.start.line} ${code} => ${replacement}`);
	}
	return {
		room: part,
		mutants: mutants.length,
		noticed: mutants.length - unnoticed.length,
		equivalent: unnoticed.length - unexplained.length,
		minutes: Math.ceil((Date.now() - startedAt) / 60_000),
	};
}

function isOf(entry: Equivalent, mutant: Mutant & { file: string; code: string }): boolean {
	const isLine = mutant.file.endsWith(entry.file) && mutant.code.includes(entry.code);
	return isLine && (entry.to === undefined || entry.to === mutant.replacement);
}

function codeOf({ location }: Mutant, source: string): string {
	return source.split('\n')[location.start.line - 1]?.trim() ?? '';
}

function tableOf(results: readonly Result[]): Table {
	return {
		title: 'Mutants',
		head: ['room', 'mutants', 'noticed', 'cannot be noticed', 'score', 'minutes'],
		rows: results.map(({ room, mutants, noticed, equivalent, minutes }) => [
			`\`${room}\``,
			mutants.toLocaleString('en'),
			noticed.toLocaleString('en'),
			String(equivalent),
			`${((100 * noticed) / (mutants - equivalent)).toFixed(1)} %`,
			String(minutes),
		]),
	};
}

/** Rooms that did not run keep their results. */
async function save(results: readonly Result[]): Promise<void> {
	const before = JSON.parse(readFileSync(RESULTS, 'utf8')) as Result[];
	const whole = rooms().flatMap(
		(name) => [...results, ...before].find(({ room }) => room === name) ?? [],
	);
	await writeFormatted(RESULTS, JSON.stringify(whole));
	await fillPage(join(DOCS, 'mutants.md'), 'mutants', [markdownTable(tableOf(whole), 'right')]);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
