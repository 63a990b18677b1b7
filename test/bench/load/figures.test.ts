import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { figuresTable } from '../../../bench/load/page';
import { results } from '../../../bench/load/results';
import { rowsOf } from '../../package/docs/pages';

const DOCS = join(__dirname, '../../../docs');
const read = (file: string) => readFileSync(join(DOCS, file), 'utf8');

test('the figures for users are those that “npm run load -- --save” has measured', () => {
	const [, table = ''] =
		/<!-- figures: begin -->([^]*)<!-- figures: end -->/.exec(read('speed.md')) ?? [];
	const { rows } = figuresTable(results.parse(JSON.parse(read('maintainers/load.json'))));
	expect(rows.length).toBeGreaterThan(0);
	expect(rowsOf(table)).toEqual(rows);
});
