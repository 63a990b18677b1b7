/** Generates files from the operations and the contract: `npm run generate`. `--check` only lists what is outdated. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { type INodeProperties, type INodePropertyOptions, NodeHelpers } from 'n8n-workflow';
import { format, resolveConfig } from 'prettier';

import { CallVerification } from '../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../nodes/CallVerification/CallVerificationTrigger.node';
import type { OutputField, OutputFields } from '../nodes/CallVerification/contract/fields';
import { requestOptionsField } from '../nodes/CallVerification/run/options';
import { renewedPages } from './generate/pages';
import { operations, outputSources } from './generate/rows';
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

interface Panel {
	readonly title: string;
	readonly parameters: Readonly<Record<string, string>>;
	/** Labels and notices, from top to bottom. */
	readonly fields: readonly string[];
}

/** What the editor should show below Resource and Operation, for each option that other fields depend on. */
function panels(): { action: Panel[]; trigger: Panel[] } {
	return {
		action: operations.flatMap(({ name, resource, operation }) =>
			panelsOf(name, { resource: resource.value, operation: operation.value }, [
				...operation.fields,
				requestOptionsField,
			]),
		),
		trigger: panelsOf('trigger', {}, new CallVerificationTrigger().description.properties),
	};
}

function panelsOf(
	name: string,
	chosen: Readonly<Record<string, string>>,
	fields: readonly INodeProperties[],
): Panel[] {
	return choicesOf(fields).map((choice) => {
		const parameters = { ...chosen, ...choice };
		const shown = fields.filter((field) => isShown(field, parameters));
		return {
			title: [name, ...Object.values(choice)].join(' '),
			parameters,
			fields: shown.map(({ displayName }) => displayName),
		};
	});
}

/** All values of the one field that decides which others are shown; one empty choice if there is none. */
function choicesOf(fields: readonly INodeProperties[]): Array<Record<string, string>> {
	const deciding = fields.find(({ name }) =>
		fields.some(({ displayOptions }) => displayOptions?.show?.[name] !== undefined),
	);
	if (deciding === undefined) return [{}];
	const options = (deciding.options ?? []) as INodePropertyOptions[];
	return options.map(({ value }) => ({ [deciding.name]: String(value) }));
}

function isShown(field: INodeProperties, parameters: Readonly<Record<string, string>>): boolean {
	const { description } = new CallVerification();
	return NodeHelpers.displayParameter({ ...parameters }, field, null, description);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
