import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { drawChart } from './chart';
import { results, type Results } from './results';
import { type Table, tablesOf } from './tables';

const DOCS = join(__dirname, '..', '..', 'docs');
const RESULTS = join(DOCS, 'performance.json');
const PAGE = join(DOCS, 'performance.md');
const CHART = join(DOCS, 'images', 'performance.svg');

const BEGIN = '<!-- measured: begin -->';
const END = '<!-- measured: end -->';

export function loadResults(): Results {
	return results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
}

export async function saveResults(found: Results): Promise<void> {
	await writeFormatted(RESULTS, JSON.stringify(found));
}

/** Puts the chart and the tables of one run into the page; the words around them stay. */
export async function writeDocument(found: Results): Promise<void> {
	mkdirSync(join(DOCS, 'images'), { recursive: true });
	writeFileSync(CHART, `${drawChart(found)}\n`);

	const page = readFileSync(PAGE, 'utf8');
	const begin = page.indexOf(BEGIN);
	const end = page.indexOf(END);
	if (begin === -1 || end < begin) throw new Error(`${PAGE} has no place for what was measured`);
	const measured = [
		`Taken on ${found.takenAt.slice(0, 10)} with Node.js ${found.node} and n8n-core ${found.n8nCore} on ${found.cores} cores.`,
		...tablesOf(found).map(markdown),
	];
	await writeFormatted(
		PAGE,
		`${page.slice(0, begin)}${BEGIN}\n\n${measured.join('\n\n')}\n\n${page.slice(end)}`,
	);
}

function markdown({ title, head, rows }: Table): string {
	const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
	const rule = line(head.map((_, column) => (column === 0 ? '---' : '---:')));
	return [`### ${title}`, '', line(head), rule, ...rows.map(line)].join('\n');
}

async function writeFormatted(file: string, text: string): Promise<void> {
	const config = await resolveConfig(file);
	writeFileSync(file, await format(text, { ...config, filepath: file }));
}
