import type { Browser } from 'playwright-core';
import { connect, type N8nClient } from '../../harness';
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
