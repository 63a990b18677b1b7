import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { EmulatorOptions } from '../../emulator/played/services';
import { describeLongInN8n, type InN8n } from './inN8n';
import { chromiumPath, launchChromium, PAGE_LIMIT } from '../../harness/browser/chromium';

/** Without Chromium the suite is skipped, and reported as skipped. */
export const describeIfChromium = chromiumPath === undefined ? describe.skip : describe;
/** The same for a single test. */
export const testIfChromium = chromiumPath === undefined ? test.skip : test;

export const PHONE = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };
export const DESKTOP = { viewport: { width: 1_280, height: 720 } };

/** A long suite with a browser, in which a visitor opens a page on a device. */
export function describeVisitors(
	title: string,
	settings: EmulatorOptions,
	tests: (n8n: InN8n, openPage: (device: BrowserContextOptions) => Promise<Page>) => void,
): void {
	describeIfChromium('in a browser', () => {
		describeLongInN8n(title, settings, (n8n) => {
			let browser: Browser;
			beforeAll(async () => {
				browser = await launchChromium();
			});
			afterAll(async () => await browser?.close());
			tests(n8n, async (device) => {
				const context = await browser.newContext(device);
				// n8n's pages load a font and an icon from the internet.
				await context.route(
					({ hostname }) => hostname !== new URL(n8n.url).hostname,
					async (route) => await route.abort(),
				);
				context.setDefaultTimeout(PAGE_LIMIT);
				return await context.newPage();
			});
		});
	});
}
