import { citationProblems } from './claims';

/** After each run, the reporter checks this for the files that were run. */
describe('the tests that prove what the documentation claims', () => {
	const titlesOf = (file: string) =>
		file === 'test/a.test.ts' ? ['a seal holds 5 (2)'] : undefined;
	const problemsOf = (file: string, title: string) =>
		citationProblems([{ page: 'docs/a.md', quote: 'a seal', tests: [{ file, title }] }], titlesOf);

	it('are reported if their file was run without them', () => {
		expect(problemsOf('test/a.test.ts', 'breaks')).toEqual([
			'test/a.test.ts has no test “breaks”, which docs/maintainers/claims.json names for “a seal” in docs/a.md: correct the title there',
		]);
		expect(problemsOf('test/b.test.ts', 'breaks')).toEqual([]);
	});

	it('may be a part of a title, or stand for every test of a table', () => {
		expect(problemsOf('test/a.test.ts', 'seal holds')).toEqual([]);
		expect(problemsOf('test/a.test.ts', 'holds $count (%i)')).toEqual([]);
		expect(problemsOf('test/a.test.ts', 'holds $count [%i]')).toHaveLength(1);
	});
});
