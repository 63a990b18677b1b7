import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { withExampleLinks } from './exampleLinks';
import { fieldSources } from './fieldSources';
import { marked, withTables } from './markedTables';
import { type NamedOperation, operations, outputSources } from './outputSources';
import { ROOT } from './root';

type Pages = Map<string, string>;

/** All pages with generated tables and links. An operation without a section gets one on the page of its resource. */
export function renewedPages(): Pages {
	const pages: Pages = new Map(
		['README.md', ...docsPages()].map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
	);
	for (const one of operations) {
		if (pageWith(pages, 'output', one.name) === undefined) addSection(pages, one);
	}
	for (const [kind, sources] of [
		['fields', fieldSources],
		['output', outputSources],
	] as const) {
		for (const name of sources.keys()) {
			if (pageWith(pages, kind, name) !== undefined) continue;
			throw new Error(
				`No page of docs/ has the line <!-- ${kind} ${name} --> and, below it, <!-- /${kind} -->`,
			);
		}
	}
	const pageOf = (name: string) => pageWith(pages, 'output', name);
	return new Map(
		[...pages].map(([path, text]) => [path, withExampleLinks(withTables(text, pageOf))]),
	);
}

function docsPages(): string[] {
	return readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.md'))
		.map((name) => join('docs', name))
		.sort();
}

function pageWith(pages: Pages, kind: string, name: string): string | undefined {
	return [...pages].find(([, text]) => text.includes(`<!-- ${kind} ${name} -->`))?.[0];
}

function addSection(pages: Pages, { name, resource, operation }: NamedOperation): void {
	const neighbours = resource.operations.map(({ value }) => `${resource.value}.${value}`);
	const path =
		neighbours.map((neighbour) => pageWith(pages, 'output', neighbour)).find(Boolean) ??
		`docs/reference/${resource.name.toLowerCase().replaceAll(' ', '-')}.md`;
	const page = pages.get(path);
	if (page === undefined) {
		throw new Error(`${path} is missing: write the first lines of a page about ${resource.name}`);
	}
	const fields = operation.fields.length > 0 ? marked('fields', name) : 'Has no fields of its own.';
	const heading = page.includes(`\n## ${resource.name}: `)
		? `${resource.name}: ${operation.name}`
		: operation.name;
	const section = `## ${heading}\n\n${operation.description}.\n\n${fields}\n\n### Output\n\n${marked('output', name)}\n`;
	const end = page.includes('\n## Errors\n') ? page.indexOf('\n## Errors\n') : page.length;
	pages.set(path, `${page.slice(0, end)}\n${section}${page.slice(end)}`);
}
