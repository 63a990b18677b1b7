import { filesIn, read } from '../project';

export interface Page {
	/** Relative to the project root. */
	readonly path: string;
	readonly text: string;
}

export interface CodeBlock {
	readonly page: string;
	readonly language: string;
	readonly code: string;
	/** The comment right before the block, which tells a test what to do with it. */
	readonly note: string;
}

export interface NotedTable {
	readonly page: string;
	/** The comment right before the table. */
	readonly note: string;
	readonly rows: string[][];
}

const BLOCK = /(?:^<!-- (.+) -->\n\n)?^```(\S*)\n([\s\S]*?)^```$/gm;
const NOTED_TABLE = /^<!-- (.+) -->\n\n((?:\|.*\|\n)+)/gm;

/** All pages meant for readers. */
export const pages: readonly Page[] = [
	...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
	...filesIn('docs', /\.md$/).sort(),
].map((path) => ({ path, text: read(path) }));
export const codeBlocks: readonly CodeBlock[] = pages.flatMap(({ path, text }) =>
	[...text.matchAll(BLOCK)].map(([, note = '', language = '', code = '']) => ({
		page: path,
		language,
		code,
		note,
	})),
);

export const notedTables: readonly NotedTable[] = pages.flatMap(({ path, text }) =>
	[...text.matchAll(NOTED_TABLE)].map(([, note = '', table = '']) => ({
		page: path,
		note,
		rows: rowsOf(table),
	})),
);

/** The cells of a table, without its header row. */
export function rowsOf(table: string): string[][] {
	const lines = table.split('\n').filter((line) => line.startsWith('|'));
	return lines.slice(2).map((line) =>
		line
			.replace(/^\||\|$/g, '')
			.split(/(?<!\\)\|/)
			.map((cell) => cell.trim()),
	);
}

/** The text without code, because nothing in code is a link or a heading. */
export function proseOf(text: string): string {
	return text.replace(BLOCK, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()<>#]/g, ''));
}

/** The text as readers see it, on one line: without comments, marks of bold and code, and where links lead. */
export function plainText(text: string): string {
	return text
		.replace(/<!--[^]*?-->/g, '')
		.replace(/^\[[^\]\n]+\]: \S+$/gm, '')
		.replace(/\]\([^)\s]*\)|\]\[[^\]\n]*\]/g, '')
		.replace(/\*\*|[`[\]]/g, '')
		.replace(/\s+/g, ' ');
}
