import { type Claim, CLAIMS, claims } from '../../contract/claims';
import { isThere } from '../project';
import { pages, plainText } from './pages';

/** In their lists and tables, each item and each row is a claim, and needs a test. */
const PROVEN_PAGES = ['docs/security.md', 'docs/maintainers/security.md', 'docs/limits.md'];

/** Readers of this page want to know what no test proves, too. */
const MAY_SAY_NOT_TESTED = 'docs/limits.md';

/** Lists and tables that only define roles, or list what no setting prevents, make no claims. */
const WITHOUT_CLAIMS = ['## Who may attack what', 'No setting prevents this:', '### Limit key'];

const all = claims();
const textOf = (page: string) => pages.find(({ path }) => path === page)?.text ?? '';

describe('the claims of the documentation', () => {
	it('exist', () => {
		expect(all.length).toBeGreaterThan(150);
	});

	it('each stand once on their page', () => {
		expect(all.flatMap((claim) => quoteProblems(claim))).toEqual([]);
	});

	// Whether the file has a test of that title is checked by the reporter, when that file is run.
	it('each name tests in files that exist', () => {
		expect(all.filter(({ tests }) => tests.length === 0)).toEqual([]);
		const files = [...new Set(all.flatMap(({ tests }) => tests.map(({ file }) => file)))];
		const wrong = files.filter((file) => !/^test\/.+\.test\.ts$/.test(file) || !isThere(file));
		expect(wrong.map((file) => `${CLAIMS} names ${file}, which is not there`)).toEqual([]);
	});

	it('leave no name of a test in the prose', () => {
		const comments = pages.flatMap(({ path, text }) =>
			[...text.matchAll(/<!-- `test\/.*?-->/g)].map(
				([comment]) => `${path}: move to ${CLAIMS}: ${comment}`,
			),
		);
		expect(comments).toEqual([]);
	});

	it.each(PROVEN_PAGES)('%s claims nothing without a test', (page) => {
		const quotes = all.filter((claim) => claim.page === page).map(({ quote }) => quote);
		const bare = claimLines(textOf(page))
			.map((line) => plainText(line))
			.filter((line) => page !== MAY_SAY_NOT_TESTED || !line.includes('not tested'))
			.filter((line) => !quotes.some((quote) => line.includes(quote)));
		expect(bare.map((line) => `name a test in ${CLAIMS}, or do not claim: ${line}`)).toEqual([]);
	});
});

function quoteProblems({ page, quote }: Claim): string[] {
	const count = plainText(textOf(page)).split(quote).length - 1;
	if (count === 0) {
		return [
			`${page} no longer says “${quote}”: look whether its tests still hold, and move the quote in ${CLAIMS}`,
		];
	}
	if (count > 1) return [`${page} says “${quote}” ${count} times: quote more words in ${CLAIMS}`];
	return [];
}

function claimLines(text: string): string[] {
	const blocks = text.trim().split('\n\n');
	return blocks
		.filter((_block, index) => !WITHOUT_CLAIMS.some((words) => isAfter(blocks, index, words)))
		.flatMap((block) => rowsAndItems(block));
}

/** Whether the block follows those words, with at most one paragraph in between. */
function isAfter(blocks: readonly string[], index: number, words: string): boolean {
	return blocks.slice(Math.max(0, index - 2), index).some((block) => block.startsWith(words));
}

function rowsAndItems(block: string): string[] {
	const lines = block.split('\n');
	if (block.startsWith('| ')) return lines.slice(2);
	return lines.filter((line) => line.startsWith('- '));
}
