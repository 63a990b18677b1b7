import {
	CODE_HEADINGS,
	codeRows,
	METHOD_HEADINGS,
	methodRows,
	RECORD_HEADINGS,
	recordRows,
} from './contractRows';
import { FIELD_HEADINGS, fieldRows } from './fieldRows';
import { fieldSources } from './fieldSources';
import {
	CODE_OF_SERVICE_HEADINGS,
	codeOfServiceRows,
	EXAMPLE_HEADINGS,
	exampleRows,
	MESSAGE_HEADINGS,
	messageRows,
	sourceLinks,
} from './messages/messageRows';
import { OPERATION_HEADINGS, operationRows, type PageOf } from './operationRows';
import { OUTPUT_HEADINGS, outputRows } from './outputRows';
import { outputSources } from './outputSources';

/** A table, or a list of links, between comments, which readers of the page do not see. */
const MARKED =
	/(?:<!-- prettier-ignore-start -->\n)?<!-- (fields|output|operations|methods|records|codes|messages|sources)(?: (\S+))? -->\n[^]*?<!-- \/\1 -->(?:\n<!-- prettier-ignore-end -->)?/g;

/** The page with up-to-date tables. */
export function withTables(page: string, pageOf: PageOf): string {
	return page.replace(MARKED, (_all, kind: string, name: string = '') =>
		marked(kind, name, tableFor(kind, name, pageOf)),
	);
}

/** Prettier would pad the cells, so that one long name changes every line of the table. */
export function marked(kind: string, name: string, table = ''): string {
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

function table(headings: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	return [headings, headings.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}
