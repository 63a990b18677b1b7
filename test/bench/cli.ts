import './n8nEnvironment';

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { version as n8nCore } from 'n8n-core/package.json';

import { boundsOf, holds } from './bounds';
import { AUTOMATIC, bareHelper, ourNode, undiciPool } from './contenders';
import { measureCpu } from './cpu';
import { loadResults, saveResults, writeDocument } from './document';
import { measureLists } from './lists';
import { printTable } from './printTable';
import type { Results, Speed } from './results';
import { ServiceProcess } from './service';
import { SERVICES } from './services';
import { measureSpeed } from './speed';
import { tablesOf } from './tables';

const USAGE = `Usage: npm run bench [-- --save | --draw]
  --save  also writes docs/performance.json and the page and chart made from it
  --draw  measures nothing, only makes page and chart again`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { save: { type: 'boolean' }, draw: { type: 'boolean' } },
	});
	if (values.draw) return await writeDocument(loadResults());

	const results = await measureAll();
	tablesOf(results).forEach(printTable);
	if (values.save) {
		await saveResults(results);
		await writeDocument(results);
	}
	const broken = boundsOf(results).filter((bound) => !holds(bound));
	if (broken.length === 0) return;
	console.error(`\nDoes not hold: ${broken.map(({ what }) => what).join('; ')}`);
	process.exitCode = 1;
}

async function measureAll(): Promise<Results> {
	const service = new ServiceProcess();
	try {
		await warmUp(service);
		const speed: Speed[] = [];
		for (const each of SERVICES) {
			console.log(`Measuring: ${each.title}`);
			speed.push(await measureSpeed(service, each));
		}
		console.log('Measuring: computing per number');
		const cpu = await measureCpu(service);
		console.log('Measuring: long lists');
		const lists = await measureLists(service);
		return {
			takenAt: new Date().toISOString(),
			node: process.versions.node,
			n8nCore,
			cores: availableParallelism(),
			speed,
			cpu,
			lists,
		};
	} finally {
		service.end();
	}
}

/** Code that has not run yet is slow, and nobody's n8n is that young. */
async function warmUp(service: ServiceProcess): Promise<void> {
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
