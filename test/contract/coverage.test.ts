import { contractRows, coverageProblems, numberingProblems } from './coverage';

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
