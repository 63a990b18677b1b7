/** Writes the tables of fields in docs/ anew from what the editor shows. `npm run docs` formats them too. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { FIELD_HEADINGS, fieldRows } from './docs/fieldRows';
import { fieldSources } from './docs/fieldSources';
import { replaceMarkedTables } from './docs/markedTables';

const DOCS = join(__dirname, '..', 'docs');

for (const name of readdirSync(DOCS).filter((file) => file.endsWith('.md'))) {
	const file = join(DOCS, name);
	const page = readFileSync(file, 'utf8');
	const renewed = replaceMarkedTables(page, tableFor);
	if (renewed !== page) writeFileSync(file, renewed);
}

function tableFor(source: string): string {
	const fields = fieldSources.get(source);
	if (fields === undefined) throw new Error(`There is nothing called ${source} that has fields`);
	const rule = FIELD_HEADINGS.map(() => '---');
	return [FIELD_HEADINGS, rule, ...fieldRows(fields)]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}
