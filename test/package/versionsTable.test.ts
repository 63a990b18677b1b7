import { results } from '../versions/results';
import { tableOf } from '../versions/table';
import { isResultOf, titleOf, tries } from '../versions/tries';
import { read } from './project';

const tried = results.parse(JSON.parse(read('docs/maintainers/versions.json')));

/** The cells of the table between the page's markers, without the separator row. */
function cellsOfPage(): string[][] {
	const [, block = ''] = /<!-- versions: begin -->([^]*)<!-- versions: end -->/.exec(
		read('docs/installation.md'),
	) ?? ['', ''];
	return block
		.trim()
		.split('\n')
		.filter((line) => !/^\|[ :|-]+$/.test(line))
		.map((line) => line.split('|').slice(1, -1))
		.map((cells) => cells.map((cell) => cell.trim()));
}

describe('the table of versions', () => {
	it('is what “npm run test:versions -- --save” has found', () => {
		const { head, rows } = tableOf(tried);
		expect(cellsOfPage()).toEqual([head, ...rows]);
	});

	it('has a row for each n8n that is tried, in that order', () => {
		const titles = tried.map((row) => {
			const found = tries.find((each) => isResultOf(each, row));
			return found && titleOf(found);
		});
		expect(titles).toEqual(tries.map(titleOf));
	});
});
