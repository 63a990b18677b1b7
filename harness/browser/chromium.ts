import { accessSync, constants } from 'node:fs';
import { type Browser, chromium, type Page, selectors } from 'playwright-core';
import { SetupProblem } from '..';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Chromium starts within a second, and within minutes on a busy machine. */
const START_LIMIT = 300_000;
/** How long to wait for anything on a page, instead of Playwright's 30 seconds. */
export const PAGE_LIMIT = 120_000;

/** The installed Chromium, or undefined if there is none. */
export const chromiumPath = PATHS.find((path) => {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
});

export async function launchChromium(): Promise<Browser> {
	if (chromiumPath === undefined)
		throw new SetupProblem('Chromium was not found. Install it: apt install chromium');
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath: chromiumPath,
		args: FLAGS,
		timeout: START_LIMIT,
	});
}

/** As text, because the tests are compiled without browser types. */
const UNREADABLE = `(() => {
	const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
	const luminance = (color) => {
		const [red, green, blue] = channels(color).map((value) => {
			const part = value / 255;
			return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	};
	const behind = (element) => {
		const color = getComputedStyle(element).backgroundColor;
		return channels(color)[3] === 0 && element.parentElement ? behind(element.parentElement) : color;
	};
	const hasText = (element) =>
		[...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
	return [...document.body.querySelectorAll('*')]
		.filter((element) => hasText(element) && element.closest('svg') === null)
		.flatMap((element) => {
			const { color, fontSize } = getComputedStyle(element);
			const [one, other] = [luminance(color), luminance(behind(element))];
			const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
			const { left, right } = element.getBoundingClientRect();
			const isOutside = left < 0 || right > innerWidth;
			const isBad = contrast < 4.5 || parseFloat(fontSize) < 13 || isOutside;
			return isBad ? [element.textContent + ' (contrast ' + contrast.toFixed(1) + ', ' + fontSize + ')'] : [];
		});
})()`;

/** Texts that are too small, outside the page, or have too little contrast with their background. */
export async function unreadableTexts(page: Page): Promise<string[]> {
	return await page.evaluate(UNREADABLE);
}

/** Larger than the window if something sticks out. */
export async function pageWidth(page: Page): Promise<number> {
	return await page.evaluate('document.documentElement.scrollWidth');
}

export async function isDark(page: Page): Promise<boolean> {
	const color: string = await page.evaluate('getComputedStyle(document.body).backgroundColor');
	return Number(/\d+/.exec(color)?.[0]) < 128;
}
