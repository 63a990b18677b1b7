import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { format, resolveConfig } from 'prettier';

/** Pages for users are in the folder above. */
export const DOCS = join(__dirname, '../docs/maintainers');

/** Writes the results between the page's markers with that name; the text around them stays. */
export async function fillPage(page: string, name: string, parts: string[]): Promise<void> {
	const text = readFileSync(page, 'utf8');
	const begin = `<!-- ${name}: begin -->`;
	const from = text.indexOf(begin);
	const to = text.indexOf(`<!-- ${name}: end -->`);
	if (from === -1 || to < from) {
		throw new Error(`${basename(page)} has no markers for the results (${name})`);
	}
	await writeFormatted(
		page,
		`${text.slice(0, from)}${begin}\n\n${parts.join('\n\n')}\n\n${text.slice(to)}`,
	);
}

export async function writeFormatted(file: string, text: string): Promise<void> {
	const config = await resolveConfig(file);
	writeFileSync(file, await format(text, { ...config, filepath: file }));
}
