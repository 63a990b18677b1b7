import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { COVERAGE } from './coverage';

/** How many rows each section of the contract has. A row that is dropped from the table shows. */
const ROWS_PER_SECTION = { 1: 19, 2: 74, 3: 4, 4: 36, 5: 6, 6: 10, 7: 9, 8: 12, 9: 4 };

describe('every row of the contract has a test', () => {
	it('and no row is missing', () => {
		const counts = COVERAGE.reduce<Record<string, number>>((sum, { row }) => {
			const section = row.charAt(0);
			return { ...sum, [section]: (sum[section] ?? 0) + 1 };
		}, {});
		expect(counts).toEqual(ROWS_PER_SECTION);
	});

	it('and is named once', () => {
		const rows = COVERAGE.map(({ row }) => row);
		expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
	});

	it.each(COVERAGE)('$row', ({ file, title, entry }) => {
		const source = readFileSync(join(__dirname, '..', file), 'utf8');
		const titles = [title, title.replaceAll("'", "\\'")];
		expect(titles.some((text) => source.includes(`'${text}'`))).toBe(true);
		if (entry !== undefined) expect(source).toContain(entry);
	});
});
