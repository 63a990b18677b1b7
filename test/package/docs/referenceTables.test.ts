import {
	FIELD_HEADINGS,
	fieldRows,
	fieldSources,
	operationRows,
	OUTPUT_HEADINGS,
	outputRows,
	outputSources,
} from '../../../scripts/generate/rows';
import { pages, rowsOf } from './pages';

/** The table that stands between the comments with this name, on whatever page. */
function shownRows(kind: string, name = ''): string[][] {
	const begin = `<!-- ${`${kind} ${name}`.trim()} -->`;
	const table = pages.find(({ text }) => text.includes(begin))?.text.split(begin)[1] ?? '';
	return rowsOf(table.split(`<!-- /${kind} -->`)[0] ?? '');
}

const trimmed = (rows: readonly string[][]) => rows.map((row) => row.map((cell) => cell.trim()));

/** All of it, and what else is generated, is compared in generated.test.ts, which takes longer. */
describe('the tables of the reference', () => {
	it.each([...fieldSources])('say what the editor shows: %s', (name, fields) => {
		const rows = fieldRows(fields);
		expect(shownRows('fields', name)).toEqual(trimmed(rows));
		expect(rows[0]).toHaveLength(FIELD_HEADINGS.length);
	});

	it.each([...outputSources])('say what comes out: %s', (name, fields) => {
		const rows = outputRows(fields);
		expect(shownRows('output', name)).toEqual(trimmed(rows));
		expect(rows[0]).toHaveLength(OUTPUT_HEADINGS.length);
	});

	it('say which operations there are, and what they cost', () => {
		const withoutLinks = (rows: readonly string[][]) =>
			rows.map((row) => row.map((cell) => cell.replace(/\]\(.*\)$/, ']')));
		expect(withoutLinks(shownRows('operations'))).toEqual(
			withoutLinks(operationRows(() => undefined)),
		);
	});
});
