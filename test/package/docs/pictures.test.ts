import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ROOT } from '../project';
import { pages } from './pages';

const MOST_BYTES = 600_000;

const pictures = pages.flatMap(({ path, text }) =>
	[
		...text.matchAll(/srcset="([^"]+)-dark\.png">\s+<img alt="([^"]+)" src="([^"]+)-light\.png"/g),
	].map(([, dark = '', alt = '', light = '']) => ({ page: path, dark, alt, light })),
);

/** To look something up, with nothing to do first. */
const TO_LOOK_UP = ['docs/README.md', 'docs/contacts.md', 'docs/errors.md', 'docs/limits.md'];

/** Other pages for users begin with steps and a picture, or a file to copy. */
const userPages = pages.filter(
	({ path }) => /^docs\/[\w-]+\.md$/.test(path) && !TO_LOOK_UP.includes(path),
);

describe('the pictures', () => {
	it.each(pictures)('$page: $light has the same in dark, and says what it shows', (picture) => {
		expect(picture.dark).toBe(picture.light);
		expect(picture.alt.split(' ').length).toBeGreaterThan(5);
		for (const theme of ['light', 'dark']) {
			const file = join(ROOT, dirname(picture.page), `${picture.light}-${theme}.png`);
			expect(readFileSync(file).length).toBeLessThan(MOST_BYTES);
		}
	});

	it.each(userPages)('and five steps come first on $path', ({ text }) => {
		const [beginning = ''] = text.split(/^(?:## (?!Before)|!\[|<picture>|```mermaid)/m);
		expect([...beginning.matchAll(/^(\d)\. /gm)].map(([, number]) => number).join('')).toBe(
			'12345',
		);
		expect(text).toMatch(/<picture>|```(?:mermaid|yaml)|!\[/);
	});
});
