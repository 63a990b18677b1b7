import {
	citationProblems,
	citationsIn,
	contractRows,
	coverageProblems,
	numberingProblems,
} from './coverage';

/** After a full run, the reporter checks that every row is covered. */
describe('the rows of the contract', () => {
	const rows = contractRows();

	it('include all nine sections and the parameters', () => {
		const sections = rows.map((row) => row.charAt(0)).filter((start) => /\d/.test(start));
		expect([...new Set(sections)]).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
		expect(rows).toEqual(
			expect.arrayContaining(['4.1.unique', '8.initCall.client', 'initCall(phone)']),
		);
		expect(new Set(rows).size).toBe(rows.length);
	});

	it('number every method, and name the method whose field they limit', () => {
		expect(numberingProblems()).toEqual([]);
	});
	it('are reported one by one when missing or unknown', () => {
		expect(coverageProblems(['5.1', '5.2'], ['§5.2 holds', '§5.3 holds'])).toEqual([
			'No passing test has §5.1 in its title: see docs/maintainers/service-contract.md',
			'a test names §5.3, which docs/maintainers/service-contract.md does not have',
		]);
	});
});

describe('the tests named by the documentation', () => {
	const titlesOf = (file: string) =>
		file === 'test/a.test.ts' ? ['a seal holds 5 (2)'] : undefined;
	const problemsOf = (text: string) => citationProblems(citationsIn(text), titlesOf);

	it('are reported if their file was run without them', () => {
		const text = '- safe <!-- `test/a.test.ts`: “breaks”, `test/b.test.ts`: “too” -->';
		expect(problemsOf(text)).toEqual([
			'docs/ names a test that was not run: `test/a.test.ts`: “breaks”',
		]);
	});

	it('may be a part of a title, or stand for every test of a table', () => {
		expect(problemsOf('`test/a.test.ts`: “seal holds”')).toEqual([]);
		expect(problemsOf('`test/a.test.ts`: “holds $count (%i)”')).toEqual([]);
		expect(problemsOf('`test/a.test.ts`: “holds $count [%i]”')).toHaveLength(1);
	});
});
