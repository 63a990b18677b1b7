import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { drawChart } from './chart';
import { DOCS, fillPage, markdown, writeFormatted } from './markedPage';
import { results, type Results } from './results';
import { tablesOf } from './tables';

const RESULTS = join(DOCS, 'performance.json');
const PAGE = join(DOCS, 'measurements.md');
const CHART = join(DOCS, '..', 'images', 'performance.svg');

export function loadResults(): Results {
	return results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
}

export async function saveResults(found: Results): Promise<void> {
	await writeFormatted(RESULTS, JSON.stringify(found));
}

/** Writes the chart and the tables of one run into the page. */
export async function writeDocument(found: Results): Promise<void> {
	mkdirSync(dirname(CHART), { recursive: true });
	writeFileSync(CHART, `${drawChart(found)}\n`);
	const takenOn = [...new Set(Object.values(found.takenOn))].sort().join(', ');
	await fillPage(PAGE, 'measured', [
		`Taken on ${takenOn} with Node.js ${found.node} and n8n-core ${found.n8nCore} on ${found.cores} cores.`,
		...tablesOf(found).map(markdown),
	]);
}
