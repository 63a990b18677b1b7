import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { codeBlocks, notedTables, ROOT } from './pages';

const SCHEMAS = join(ROOT, 'nodes', 'CallVerification', '__schema__');

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
}

/** The output schemas are held to real outputs by test/core/schemas.test.ts. */
const schemas = new Map(
	readdirSync(SCHEMAS, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.json'))
		.map((file) => [
			file === 'v2.0.0.json' ? 'trigger' : file.slice('v1.0.0/'.length, -5).replace('/', '.'),
			JSON.parse(readFileSync(join(SCHEMAS, file), 'utf8')) as Schema,
		]),
);

function fieldsOf({ properties = {} }: Schema, prefix = ''): Array<[name: string, type: string]> {
	return Object.entries(properties).flatMap(([name, inner]) => [
		[`\`${prefix}${name}\``, inner.type] as [string, string],
		...fieldsOf(inner, `${prefix}${name}.`),
	]);
}

const schemaOf = (note: string): Schema => {
	const [, name = ''] = note.split(' ');
	const schema = schemas.get(name);
	if (schema === undefined) throw new Error(`There is no output schema for “${name}”`);
	return schema;
};

const tables = notedTables.filter(({ note }) => note.startsWith('output '));
const samples = codeBlocks.filter(({ note }) => note.startsWith('shape '));

describe('the tables of output fields', () => {
	it('are there once for each operation and the trigger', () => {
		expect(tables.map(({ note }) => note.slice('output '.length)).sort()).toEqual(
			[...schemas.keys()].sort(),
		);
	});

	it.each(tables)('$note names the fields that come out, with their types', ({ note, rows }) => {
		expect(rows.map((cells) => cells.slice(0, 2))).toEqual(fieldsOf(schemaOf(note)));
	});

	it.each(samples)('the sample with the $note has those fields', ({ note, code }) => {
		const sample = JSON.parse(code) as Record<string, unknown>;
		expect(Object.entries(sample).map(([name, value]) => [`\`${name}\``, typeof value])).toEqual(
			fieldsOf(schemaOf(note)),
		);
	});
});
