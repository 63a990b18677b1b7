import { contractRows, coverageProblems } from './coverage';

/** The reporter asks for every row after a whole run. */
describe('the rows of the contract', () => {
	const rows = contractRows();

	it('are those of all nine sections, and the parameters', () => {
		const sections = rows.map((row) => row.charAt(0)).filter((start) => /\d/.test(start));
		expect([...new Set(sections)]).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
		expect(rows).toEqual(expect.arrayContaining(['4.1.unique', '8.client', 'initCall(phone)']));
		expect(new Set(rows).size).toBe(rows.length);
	});

	it('are covered by the titles that name them', () => {
		expect(
			coverageProblems(['4.1.unique', '5.2', 'a(b)'], ['x (§4.1.unique, §5.2).', '§a(b)']),
		).toEqual([]);
	});

	it('are missed one by one', () => {
		expect(coverageProblems(['5.1', '5.2'], ['§5.2 holds', '§5.3 holds'])).toEqual([
			'§5.1 of docs/service-contract.md is in the title of no test that has passed',
			'a test names §5.3, which docs/service-contract.md does not have',
		]);
	});
});
