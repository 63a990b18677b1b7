/** Generates files from the operations and the contract: `npm run generate`. `--check` only lists what is outdated. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { CallVerification } from '../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../nodes/CallVerification/CallVerificationTrigger.node';
import type { OutputField, OutputFields } from '../nodes/CallVerification/contract/fields';
import { renewedPages } from './generate/pages';
import { panels } from './generate/panels';
import { outputSources } from './generate/sources';
import { ROOT } from './project';

const SCHEMAS = join('nodes', 'CallVerification', '__schema__');

const isCheck = process.argv.includes('--check');

async function main(): Promise<void> {
	const files = generatedFiles();
	const stale = schemaFiles().filter((file) => !files.has(file));
	if (!isCheck) stale.forEach((file) => rmSync(join(ROOT, file)));
	for (const [file, text] of files) {
		const path = join(ROOT, file);
		const content = await format(text, { ...(await resolveConfig(path)), filepath: path });
		if (content === readIfThere(path)) continue;
		stale.push(file);
		if (isCheck) continue;
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, content);
	}
	for (const file of stale) {
		console.log(isCheck ? `${file} is out of date: run npm run generate` : `wrote ${file}`);
	}
	if (isCheck && stale.length > 0) process.exitCode = 1;
}

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return undefined;
	}
}

/** By path from the root, not yet formatted. */
function generatedFiles(): Map<string, string> {
	return new Map([
		...[...outputSources].map(
			([name, fields]) =>
				[
					schemaFile(name),
					JSON.stringify({ ...outputSchema(fields), version: 1 }, null, '\t'),
				] as const,
		),
		[join('test', 'e2e', 'panelTable.json'), JSON.stringify(panels(), null, '\t')],
		...renewedPages(),
	]);
}

/** The existing ones. */
function schemaFiles(): string[] {
	return readdirSync(join(ROOT, SCHEMAS), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.json'))
		.map((file) => join(SCHEMAS, file));
}

/** Where n8n looks for it. */
function schemaFile(name: string): string {
	const isTrigger = name === 'trigger';
	const { version } = (isTrigger ? new CallVerificationTrigger() : new CallVerification())
		.description;
	const folder = `v${String(version)}.0.0`;
	return join(SCHEMAS, isTrigger ? `${folder}.json` : `${join(folder, ...name.split('.'))}.json`);
}

interface OutputSchema {
	type: string;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** The output schema in n8n's format, with which the editor can offer the fields before the first run. */
function outputSchema(fields: OutputFields): OutputSchema {
	const entries = Object.entries(fields).map(([name, field]) => [name, schemaOf(field)] as const);
	return { type: 'object', properties: Object.fromEntries(entries) };
}

function schemaOf({ type, fields }: OutputField): OutputSchema {
	if (fields === undefined) return { type };
	return type === 'array' ? { type, items: outputSchema(fields) } : outputSchema(fields);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
