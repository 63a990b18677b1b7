import { pages, wordsOf } from './pages';

const PAGE_WORDS = 900;

/** These have more to say, and are clearer with more words. */
const LONGER = ['docs/check-a-list.md', 'docs/installation.md', 'docs/security.md'];

/** Pages for users: not for maintainers, and not the reference, which is mostly generated. */
const userPages = pages
	.filter(({ path }) => /^docs\/[\w-]+\.md$/.test(path) && !LONGER.includes(path))
	.map(({ path, text }) => ({ path, words: wordsOf(text).length }));

describe('the length', () => {
	it(`of each page for users is at most ${PAGE_WORDS} words`, () => {
		expect(userPages.length).toBeGreaterThan(10);
		expect(userPages.filter(({ words }) => words > PAGE_WORDS)).toEqual([]);
	});
});
