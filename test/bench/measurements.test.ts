import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { pageParts } from '../../bench/load/page';
import { results } from '../../bench/load/results';

const FOLDER = join(__dirname, '../../docs/maintainers');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const page = read('measurements.md');

/** Without what Prettier pads cells and rules with. */
const bare = (text: string) => text.replace(/[\s-]+/g, '');
const shown = /<!-- load: begin -->([^]*)<!-- load: end -->/.exec(page)?.[1] ?? '';

describe('the page of measurements', () => {
	it('has what was saved; npm run load -- --draw writes it', () => {
		const parts = pageParts(results.parse(JSON.parse(read('load.json'))));
		const missing = parts.filter((part) => !bare(shown).includes(bare(part)));
		expect(parts.length).toBeGreaterThan(2);
		expect(missing).toEqual([]);
	});

	it('is short enough to be read', () => {
		const prose = page.replace(/^\|.*$/gm, '').replace(/<!--.*?-->/g, '');
		expect(prose.split(/\s+/).length).toBeLessThan(700);
	});
});
