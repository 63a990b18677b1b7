import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { EmulatorSettings } from '../../emulator/settings';
import { connect, type N8nClient } from '../../harness';
import { describeInN8n, type InN8n } from './inN8n';
import { type Instance, instances } from './instances';
import {
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';
import { chromiumPath, launchChromium } from '../../harness/browser/chromium';
import { Editor, type Theme } from '../../harness/browser/editor';

/** Without Chromium the suite is skipped, and reported as skipped. */
export const describeIfChromium = chromiumPath === undefined ? describe.skip : describe;

/** The editor is tested in the newest release line only. */
const instance: Instance | undefined = instances.find(({ line }) => line === '2.x');
const describeIfPossible = instance ? describeIfChromium : describe.skip;

export interface Stage {
	readonly client: N8nClient;
	readonly service: EmulatedService;
	/** A new browser window with its own session data. */
	readonly openEditor: (theme?: Theme) => Promise<Editor>;
}

/** A suite with an n8n, an emulated service with its credential, and a browser. */
export function describeInBrowser(title: string, tests: (stage: () => Stage) => void): void {
	describeIfPossible(title, () => {
		let browser: Browser;
		let stage: Stage;
		const editors: Editor[] = [];

		beforeAll(async () => {
			if (!instance) throw new Error('There is no n8n 2.x');
			const client = await connect(instance);
			const service = await startEmulatedService(client);
			browser = await launchChromium();
			const openEditor = async (theme?: Theme) => {
				const editor = await Editor.open(browser, client, { theme });
				editors.push(editor);
				return editor;
			};
			stage = { client, service, openEditor };
		});

		afterAll(async () => {
			await browser?.close();
			await stage?.service.emulator.close();
		});

		tests(() => stage);

		test('the console stays free of errors', () => {
			expect(editors.flatMap(({ complaints }) => complaints)).toEqual([]);
		});
	});
}

/** Enough for a page on a busy machine. */
const PATIENCE = 60_000;

export const PHONE = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };
export const DESKTOP = { viewport: { width: 1_280, height: 720 } };

/** A suite on each line of n8n with a browser, in which a visitor opens a page on a device. */
export function describeVisitors(
	title: string,
	settings: Partial<EmulatorSettings>,
	tests: (n8n: InN8n, openPage: (device: BrowserContextOptions) => Promise<Page>) => void,
): void {
	describeIfChromium('in a browser', () => {
		describeInN8n(title, settings, (n8n) => {
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
				context.setDefaultTimeout(PATIENCE);
				return await context.newPage();
			});
		});
	});
}
