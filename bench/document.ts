import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { drawChart } from './chart';
import { DOCS, fillPage, writeFormatted } from './markedPage';
import { pageParts } from './pageTables';
import { results, type Results } from './results';

const RESULTS = join(DOCS, 'performance.json');
const PAGE = join(DOCS, 'measurements.md');
const CHART = join(DOCS, '..', 'images', 'performance.svg');

export function loadResults(): Results {
	return results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
}

export async function saveResults(found: Results): Promise<void> {
	await writeFormatted(RESULTS, JSON.stringify(found));
}

/** Writes the chart, and what a person reads of one run into the page. */
export async function writeDocument(found: Results): Promise<void> {
	mkdirSync(dirname(CHART), { recursive: true });
	writeFileSync(CHART, `${drawChart(found)}\n`);
	const takenOn = [...new Set(Object.values(found.takenOn))].sort().join(', ');
	await fillPage(PAGE, 'measured', [
		`Taken on ${takenOn} with Node.js ${found.node} and n8n-core ${found.n8nCore} on ${found.cores} cores.`,
		...pageParts(found),
	]);
}
