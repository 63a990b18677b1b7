import { pages, wordsOf } from './pages';

/** Beside the table of operations, which a new one must not make too long. */
const README_WORDS = 524;
const PAGE_WORDS = 900;

/** Pages for users: not for maintainers, and not the reference, which is mostly generated. */
const userPages = pages
	.filter(({ path }) => /^docs\/[\w-]+\.md$/.test(path))
	.map(({ path, text }) => ({ path, words: wordsOf(text).length }));

describe('the length', () => {
	it(`of the README is at most ${README_WORDS} words, with its commands and examples`, () => {
		const readme = pages.find(({ path }) => path === 'README.md')?.text ?? '';
		const text = readme.replace(/^```.*$/gm, '');
		const words = wordsOf(text.replace(/<!-- operations -->[^]*<!-- \/operations -->/, ''));
		expect(words).toContain('start');
		expect(words.length).toBeLessThan(wordsOf(text).length);
		expect(words.length).toBeLessThanOrEqual(README_WORDS);
	});

	it(`of each page for users is at most ${PAGE_WORDS} words`, () => {
		expect(userPages.length).toBeGreaterThan(10);
		expect(userPages.filter(({ words }) => words > PAGE_WORDS)).toEqual([]);
	});
});
