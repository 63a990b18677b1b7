import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { endWithNpm } from '../../harness/process/guardedProcess';
import { markdown, printTable } from '../table';
import { failWith } from '../bound';
import { DOCS, fillPage, writeFormatted } from '../markedPage';
import { n8nProgram, packProject, stopAllGuarded, stopOnSignal } from '../../harness';
import { growthOf, heapTable, workTable } from './report';
import { endure } from './run';

const USAGE = `Usage: npm run endurance [-- --save] [--minutes 30]
  --minutes  how long the load lasts; default: 30
  --save     also writes docs/maintainers/endurance.json and the tables in measurements.md`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { save: { type: 'boolean' }, minutes: { type: 'string', default: '30' } },
	});
	const minutes = Number(values.minutes);
	if (!(minutes >= 2)) throw new Error('Nothing can be measured in less than 2 minutes');

	stopOnSignal();
	endWithNpm();
	const program = await n8nProgram('2.x');
	const packed = await packProject();
	try {
		const results = await endure(program, packed.tarball, minutes, ({ hours, bytes }) =>
			console.log(`${(hours * 60).toFixed(1)} min: ${(bytes / 1e6).toFixed(1)} MB`),
		);
		const growth = growthOf(results);
		const tables = [workTable(results), heapTable(results, growth)];
		tables.forEach(printTable);
		if (values.save) {
			await writeFormatted(join(DOCS, 'endurance.json'), JSON.stringify(results));
			await fillPage(join(DOCS, 'measurements.md'), 'endurance', tables.map(markdown));
		}
		const { checks, calls, events } = results;
		const isExact = [checks, calls, events].every(({ lost, twice }) => lost === 0 && twice === 0);
		if (!isExact || !growth.isAcceptable) failWith(['see the tables above']);
	} finally {
		await packed.remove();
		await stopAllGuarded();
	}
}

main().catch((error: unknown) => {
	console.error(error);
	console.error(USAGE);
	process.exitCode = 1;
});
