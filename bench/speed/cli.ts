import './n8nEnvironment';

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { version as n8nCore } from 'n8n-core/package.json';

import { stopAllGuarded, stopOnSignal } from '../../harness';
import { failIfBroken } from '../bound';
import { EmulatorProcess, SERVICES } from '../services';
import { measureLimits } from '../limits/measureLimits';
import { DOCS, fillPage, writeFormatted } from '../markedPage';
import { printTable } from '../table';
import { boundsOf, type Results, results } from './results';
import { drawChart } from './chart';
import { AUTOMATIC, bareHelper, ourNode, undiciPool } from './contenders';
import { measureCpu, measureLists, measureSpeed } from './inEngine';
import { measureInN8n } from './inN8n';
import { pageParts, tablesOf } from './tables';

const RESULTS = join(DOCS, 'performance.json');
const PAGE = join(DOCS, 'measurements.md');
const CHART = join(DOCS, '..', 'images', 'performance.svg');

type Part = (service: EmulatorProcess) => Promise<Partial<Results>>;

/** What can be measured separately. */
const PARTS: Readonly<Record<string, Part>> = {
	limits: async () => ({ limits: await measureLimits() }),
	n8n: async (service) => ({ inN8n: await measureInN8n(service) }),
	...Object.fromEntries(
		SERVICES.map((each): [string, Part] => [
			each.name,
			async (service) => ({ speed: [await measureSpeed(service, each)] }),
		]),
	),
	cpu: async (service) => ({ cpu: await measureCpu(service) }),
	lists: async (service) => ({ lists: await measureLists(service) }),
};

const USAGE = `Usage: npm run bench [-- --only PART]... [--save] | --draw
  --only  measures one part: ${Object.keys(PARTS).join(', ')}; with --save, the other parts' figures stay
  --save  also writes docs/maintainers/performance.json and the page and chart made from it
  --draw  measures nothing, but rewrites the page and the chart, and prints all saved tables`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			save: { type: 'boolean' },
			draw: { type: 'boolean' },
			only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
		},
	});
	if (values.draw) {
		const saved = loadResults();
		tablesOf(saved).forEach(printTable);
		return await writeDocument(saved);
	}

	stopOnSignal();
	const found = await measure(values.only);
	tablesOf(found).forEach(printTable);
	if (values.save) {
		const whole = merged(loadResults(), found);
		await writeFormatted(RESULTS, JSON.stringify(whole));
		await writeDocument(whole);
	}
	failIfBroken(boundsOf(found));
}

async function measure(parts: readonly string[]): Promise<Results> {
	const service = new EmulatorProcess();
	let found: Results = {
		takenOn: {},
		node: process.versions.node,
		n8nCore,
		cores: availableParallelism(),
		speed: [],
	};
	try {
		if (parts.some((part) => part !== 'limits' && part !== 'n8n')) await warmUp(service);
		for (const name of parts) {
			const part = PARTS[name];
			if (part === undefined) throw new Error(`There is no part "${name}"`);
			console.log(`Measuring: ${name}`);
			const takenOn = { [name]: new Date().toISOString().slice(0, 10) };
			found = merged(found, { ...(await part(service)), takenOn });
		}
		return found;
	} finally {
		service.end();
		await stopAllGuarded();
	}
}

/** Code that has not run before is slow, and an n8n in production has run it. */
async function warmUp(service: EmulatorProcess): Promise<void> {
	for (const contender of [
		ourNode(AUTOMATIC),
		bareHelper(64),
		undiciPool({ connections: 64 }),
		ourNode(64),
	]) {
		await service.during({}, async (access) => await contender(access, 1000));
	}
}

/** New figures of a part replace the old ones. */
function merged(before: Results, found: Partial<Results>): Results {
	const speeds = [...before.speed, ...(found.speed ?? [])];
	const bySpeed = new Map(speeds.map((each) => [each.service, each]));
	return {
		...before,
		...found,
		takenOn: { ...before.takenOn, ...found.takenOn },
		speed: SERVICES.flatMap(({ name }) => bySpeed.get(name) ?? []),
	};
}

function loadResults(): Results {
	return results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
}

/** Writes the chart, and what a person reads of one run into the page. */
async function writeDocument(found: Results): Promise<void> {
	mkdirSync(dirname(CHART), { recursive: true });
	writeFileSync(CHART, `${drawChart(found)}\n`);
	const takenOn = [...new Set(Object.values(found.takenOn))].sort().join(', ');
	await fillPage(PAGE, 'measured', [
		`Taken on ${takenOn} with Node.js ${found.node} and n8n-core ${found.n8nCore} on ${found.cores} cores.`,
		...pageParts(found),
	]);
}

main().catch((error: unknown) => {
	console.error(error);
	console.error(USAGE);
	process.exitCode = 1;
});
