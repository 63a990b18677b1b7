import { citationsIn } from '../contract/coverage';
import { isThere, read } from './project';

const guide = ['docs/security.md', 'docs/maintainers/security.md'].map(read).join('\n');

/** Readers see the claim; the comment behind it names the tests that prove it. */
const claims = [...guide.matchAll(/^[-|] (.*?) ?<!-- (.*) -->/gm)].map(
	([, claim = '', shownBy = '']): [claim: string, shownBy: string] => [claim, shownBy],
);

/** Lists and tables that only define roles, or list what no setting prevents, make no claims. */
const WITHOUT_CLAIMS = ['## Who may attack what', 'No setting prevents this:', '### Limit key'];

describe('the security guides', () => {
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

	// Whether the file has that test is checked by the reporter, in the run of that file.
	it.each(claims)('names a test for “%s”', (_claim, shownBy) => {
		const citations = citationsIn(shownBy);
		expect(citations).not.toEqual([]);
		expect(citations.map(({ whole }) => whole).join(', ')).toBe(shownBy);
		expect(citations.filter(({ file }) => !isThere(file))).toEqual([]);
	});
});

/** Whether the block follows those words, with at most one paragraph in between. */
function isAfter(blocks: readonly string[], index: number, words: string): boolean {
	return blocks.slice(Math.max(0, index - 2), index).some((block) => block.startsWith(words));
}

function claimLines(block: string): string[] {
	const lines = block.split('\n');
	if (block.startsWith('| ')) return lines.slice(2);
	return lines.filter((line) => line.startsWith('- '));
}
