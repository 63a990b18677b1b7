import './n8nEnvironment';

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { version as n8nCore } from 'n8n-core/package.json';

import { stopAllGuarded, stopOnSignal } from '../harness';
import { boundsOf, holds } from './bounds';
import { AUTOMATIC, bareHelper, ourNode, undiciPool } from './contenders';
import { loadResults, saveResults, writeDocument } from './document';
import { merged, PARTS } from './parts';
import { printTable } from './printTable';
import type { Results } from './results';
import { EmulatorProcess } from './emulatorProcess';
import { tablesOf } from './tables';

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
	const results = await measure(values.only);
	tablesOf(results).forEach(printTable);
	if (values.save) {
		const whole = merged(loadResults(), results);
		await saveResults(whole);
		await writeDocument(whole);
	}
	const broken = boundsOf(results).filter((bound) => !holds(bound));
	if (broken.length === 0) return;
	console.error(`\nDoes not hold: ${broken.map(({ what }) => what).join('; ')}`);
	process.exitCode = 1;
}

async function measure(parts: readonly string[]): Promise<Results> {
	const service = new EmulatorProcess();
	let results: Results = {
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
			results = merged(results, { ...(await part(service)), takenOn });
		}
		return results;
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

main().catch((error: unknown) => {
	console.error(error);
	console.error(USAGE);
	process.exitCode = 1;
});
