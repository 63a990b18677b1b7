import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const guide = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');

const REFERENCE = /`(test\/[\w./-]+\.ts)`: “([^”]+)”/g;

const cells = (row: string) => row.split('|').map((cell) => cell.trim());

/** The rows of all tables whose last column says which test shows the claim. */
const claims = guide
	.split('\n\n')
	.map((block) => block.split('\n').filter((line) => line.startsWith('|')))
	.filter(([head = '']) => cells(head).at(-2) === 'shown by')
	.flatMap(([, , ...rows]) => rows)
	.map((row): [claim: string, shownBy: string] => [cells(row)[1] ?? '', cells(row).at(-2) ?? '']);

describe('the security guide', () => {
	it('makes claims', () => {
		expect(claims.length).toBeGreaterThan(30);
	});

	it.each(claims)('names a test for “%s”', (_claim, shownBy) => {
		const references = [...shownBy.matchAll(REFERENCE)];
		expect(references).not.toEqual([]);
		expect(references.map(([whole]) => whole).join(', ')).toBe(shownBy);
		const missing = references.filter(([, file = '', title = '']) => {
			const source = readFileSync(join(ROOT, file), 'utf8');
			return !source.includes(`'${title}'`);
		});
		expect(missing.map(([whole]) => whole)).toEqual([]);
	});
});
