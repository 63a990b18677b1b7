import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { markdownTable } from '../../bench/table';
import { ROOT, slugOf } from '../project';
import {
	CODE_OF_SERVICE_HEADINGS,
	codeOfServiceRows,
	EXAMPLE_HEADINGS,
	exampleRows,
	MESSAGE_HEADINGS,
	messageRows,
	sourceLinks,
} from './messages/messageRows';
import {
	CODE_HEADINGS,
	codeRows,
	FIELD_HEADINGS,
	fieldRows,
	fieldSources,
	METHOD_HEADINGS,
	methodRows,
	type NamedOperation,
	OPERATION_HEADINGS,
	operationRows,
	operations,
	OUTPUT_HEADINGS,
	outputRows,
	outputSources,
	type PageOf,
	RECORD_HEADINGS,
	recordRows,
} from './rows';

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

const ANY_EXAMPLE = /https:\/\/raw\.githubusercontent\.com\/[^/\s]+\/[^/\s]+\/[^/\s]+\/examples\//g;

/** To the examples of this version: those on the main branch may need a package that is not released yet. */
function withExampleLinks(page: string): string {
	const { version, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
		version: string;
		repository: { url: string };
	};
	return page.replaceAll(
		ANY_EXAMPLE,
		`https://raw.githubusercontent.com/${slugOf(repository.url)}/v${version}/examples/`,
	);
}

/** A table, or a list of links, between comments, which readers of the page do not see. */
const MARKED =
	/(?:<!-- prettier-ignore-start -->\n)?<!-- (fields|output|operations|methods|records|codes|messages|sources)(?: (\S+))? -->\n[^]*?<!-- \/\1 -->(?:\n<!-- prettier-ignore-end -->)?/g;

/** The page with up-to-date tables. */
function withTables(page: string, pageOf: PageOf): string {
	return page.replace(MARKED, (_all, kind: string, name: string = '') =>
		marked(kind, name, tableFor(kind, name, pageOf)),
	);
}

/** Prettier would pad the cells, so that one long name changes every line of the table. */
function marked(kind: string, name: string, table = ''): string {
	return [
		'<!-- prettier-ignore-start -->',
		`<!-- ${`${kind} ${name}`.trim()} -->\n`,
		`${table}\n`,
		`<!-- /${kind} -->`,
		'<!-- prettier-ignore-end -->',
	].join('\n');
}

function tableFor(kind: string, name: string, pageOf: PageOf): string {
	if (kind === 'operations') return table(OPERATION_HEADINGS, operationRows(pageOf));
	if (kind === 'methods') return table(METHOD_HEADINGS, methodRows());
	if (kind === 'records') return table(RECORD_HEADINGS, recordRows());
	if (kind === 'codes') return table(CODE_HEADINGS, codeRows());
	if (kind === 'messages') return tableOfMessages(name);
	if (kind === 'sources') return sourceLinks();
	if (kind === 'fields') return table(FIELD_HEADINGS, fieldRows(known(fieldSources, name)));
	return table(OUTPUT_HEADINGS, outputRows(known(outputSources, name)));
}

function tableOfMessages(section: string): string {
	if (section === 'codes') return table(CODE_OF_SERVICE_HEADINGS, codeOfServiceRows());
	if (section === 'examples') return table(EXAMPLE_HEADINGS, exampleRows());
	return table(MESSAGE_HEADINGS, messageRows(section));
}

function known<Source>(sources: ReadonlyMap<string, Source>, name: string): Source {
	const source = sources.get(name);
	if (source === undefined) {
		throw new Error(
			`The docs have a table for ${name}, but it does not exist: add it to operations/index.ts, or remove the section`,
		);
	}
	return source;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	return markdownTable({ head, rows }, 'left');
}
