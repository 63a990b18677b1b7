import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const guide = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');

const REFERENCE = /`(test\/[\w./-]+\.ts)`: “([^”]+)”/g;

/** Readers see the claim; the comment behind it names the tests that show it. */
const claims = [...guide.matchAll(/^[-|] (.*?) ?<!-- (.*) -->/gm)].map(
	([, claim = '', shownBy = '']): [claim: string, shownBy: string] => [claim, shownBy],
);

/** Lists and tables that only say who is who, or what no setting prevents, are no claims. */
const WITHOUT_CLAIMS = ['## Who may attack what', 'No setting prevents this:'];

describe('the security guide', () => {
	it('makes claims, each with its tests', () => {
		const bare = guide
			.split('\n\n')
			.filter(
				(_block, index, blocks) => !WITHOUT_CLAIMS.some((words) => isAfter(blocks, index, words)),
			)
			.flatMap((block) => claimLines(block))
			.filter((line) => !line.includes('<!-- '));
		expect(claims.length).toBeGreaterThan(30);
		expect(bare).toEqual([]);
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

/** The block stands under those words, with at most one paragraph between. */
function isAfter(blocks: readonly string[], index: number, words: string): boolean {
	return blocks.slice(Math.max(0, index - 2), index).some((block) => block.startsWith(words));
}

function claimLines(block: string): string[] {
	const lines = block.split('\n');
	if (block.startsWith('| ')) return lines.slice(2);
	return lines.filter((line) => line.startsWith('- '));
}
