import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { pageParts as listParts } from '../../bench/speed/tables';
import { results as listResults } from '../../bench/speed/results';
import { pageParts as loadParts } from '../../bench/load/page';
import { results as loadResults } from '../../bench/load/results';

const FOLDER = join(__dirname, '../../docs/maintainers');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const page = read('measurements.md');

/** Without what Prettier pads cells and rules with. */
const bare = (text: string) => text.replace(/[\s-]+/g, '');
const between = (name: string) =>
	new RegExp(`<!-- ${name}: begin -->([^]*)<!-- ${name}: end -->`).exec(page)?.[1] ?? '';

describe('the page of measurements', () => {
	it.each([
		[
			'measured',
			'npm run bench -- --draw',
			listParts(listResults.parse(JSON.parse(read('performance.json')))),
		],
		['load', 'npm run load -- --draw', loadParts(loadResults.parse(JSON.parse(read('load.json'))))],
	])('has what was saved under “%s”; %s writes it', (name, _command, parts) => {
		const missing = parts.filter((part) => !bare(between(name)).includes(bare(part)));
		expect(parts.length).toBeGreaterThan(2);
		expect(missing).toEqual([]);
	});

	it('is short enough to be read', () => {
		const prose = page.replace(/^\|.*$/gm, '').replace(/<!--.*?-->/g, '');
		expect(prose.split(/\s+/).length).toBeLessThan(700);
	});
});
