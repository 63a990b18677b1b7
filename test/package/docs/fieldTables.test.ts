import { fieldRows } from '../../../scripts/docs/fieldRows';
import { fieldSources } from '../../../scripts/docs/fieldSources';
import { markedTables } from '../../../scripts/docs/markedTables';
import { pages, rowsOf } from './pages';

const shown = pages.flatMap(({ text }) => markedTables(text));

/** After a change of a field, `npm run docs` writes the tables anew. */
describe('the tables of fields', () => {
	it('are there once for all that has fields', () => {
		expect(shown.map(([name]) => name).sort()).toEqual([...fieldSources.keys()].sort());
	});

	it.each(shown)('%s says what the editor says', (name, table) => {
		expect(rowsOf(table)).toEqual(fieldRows(fieldSources.get(name) ?? []));
	});
});
