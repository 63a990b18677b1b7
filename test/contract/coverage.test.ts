import { methods } from '../../nodes/CallVerification/contract/methods';
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
		const page = [...Object.keys(methods).slice(1)].map(
			(name, index) => `4.${index + 1} \`${name}\``,
		);
		const limits = '| 8.client |\n| 8.initCall.color |\n| 8.initCall.client |\n| 8.rate |';
		expect(numberingProblems(`${page.join(', ')}\n\n${limits}`)).toEqual([
			'initCall has no number in section 4',
			expect.stringMatching(/^8\.client does not name/),
			expect.stringMatching(/^8\.initCall\.color does not name/),
		]);
	});

	it('are covered by the titles that name them', () => {
		expect(
			coverageProblems(['4.1.unique', '5.2', 'a(b)'], ['x (§4.1.unique, §5.2).', '§a(b)']),
		).toEqual([]);
	});

	it('are reported one by one when missing or unknown', () => {
		expect(coverageProblems(['5.1', '5.2'], ['§5.2 holds', '§5.3 holds'])).toEqual([
			'No passing test has §5.1 in its title: see docs/maintainers/service-contract.md',
			'a test names §5.3, which docs/maintainers/service-contract.md does not have',
		]);
	});
});

describe('the tests named by the security guide', () => {
	const cited = citationsIn('- safe <!-- `test/a.test.ts`: “holds”, `test/b.test.ts`: “too” -->');

	it('are found with file and title', () => {
		expect(cited.map(({ file, title }) => [file, title])).toEqual([
			['test/a.test.ts', 'holds'],
			['test/b.test.ts', 'too'],
		]);
	});

	it('are reported if their file was run without them', () => {
		const titlesOf = (file: string) => (file === 'test/a.test.ts' ? ['a seal breaks'] : undefined);
		expect(citationProblems(cited, titlesOf)).toEqual([
			'docs/ names a test that was not run: `test/a.test.ts`: “holds”',
		]);
	});

	it('are not missed in files that were not run, or if their full title has them', () => {
		expect(citationProblems(cited, () => undefined)).toEqual([]);
		expect(citationProblems(cited, () => ['a seal holds', 'b too'])).toEqual([]);
	});

	it('stand for every test of a table', () => {
		const table = citationsIn('`test/a.test.ts`: “stops %s after $count (%i)”');
		expect(citationProblems(table, () => ['stops it after 5 (2)'])).toEqual([]);
		expect(citationProblems(table, () => ['stops it after 5 [2]'])).toHaveLength(1);
	});
});
