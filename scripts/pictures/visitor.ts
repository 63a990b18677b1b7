import type { Browser, Page } from 'playwright-core';

import type { Theme } from '../../harness/browser/editor';

const SIZE = { width: 720, height: 400 };
/** Sharp on screens with more pixels, and still small as a file. */
const PIXELS = 1.5;

/** n8n's forms have no dark theme, but take their colors from variables; the last three rules are for pages of our own. */
const DARK = `:root {
	--color-background: #1b1c22; --color-card-bg: #26272f; --color-card-border: #3a3c47;
	--color-header: #f1f1f4; --color-label: #d4d5db; --color-header-subtext: #b6b8c2; --color-link: #b6b8c2;
	--color-input-bg: #1b1c22; --color-input-border: #4a4d5a; --color-input-text: #f1f1f4; --color-html-text: #d4d5db;
}
.form-header p, .header p { color: #b6b8c2; }
.form-header a { color: #a9b8ff; }
.form-input::placeholder { color: #9a9ca8; opacity: 1 !important; }
body { background: #1b1c22 !important; color: #d4d5db !important; }
main { background: #26272f !important; border-color: #3a3c47 !important; }
.number { color: #f1f1f4 !important; }`;

/** A browser window with a visitor of n8n's forms. */
export async function openVisitor(browser: Browser, theme: Theme): Promise<Page> {
	const context = await browser.newContext({
		viewport: SIZE,
		deviceScaleFactor: PIXELS,
		colorScheme: theme,
		bypassCSP: true,
	});
	const page = await context.newPage();
	page.setDefaultTimeout(60_000);
	// The fonts of n8n's forms are on the internet, and a page that waits for them is not shown.
	await page.route(/fonts\.g|n8n\.io/, async (route) => await route.abort());
	return page;
}

export async function dress(page: Page, theme: Theme, style = ''): Promise<void> {
	await page.addStyleTag({ content: `${theme === 'dark' ? DARK : ''}\n${style}` });
}
