import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '../test/e2e/browser/chromium';
import { Editor, type Theme } from '../test/e2e/browser/editor';
import { stopOnSignal } from '../test/real-n8n';
import { type Demo, startDemo } from './demo/startDemo';

const FOLDER = join(__dirname, '..', 'docs', 'images');
const THEMES: readonly Theme[] = ['light', 'dark'];
const SIZE = { width: 1280, height: 720 };

/** Writes the pictures of the README: the example in the editor, and the node with a result. */
async function main(): Promise<void> {
	const undo: Array<() => Promise<void>> = [];
	const undoAll = async () => {
		for (const action of undo.splice(0).reverse()) await action();
	};
	stopOnSignal(undoAll);
	try {
		await mkdir(FOLDER, { recursive: true });
		const browser = await launchChromium();
		undo.push(async () => await browser.close());
		const demo = await startDemo({}, undo);
		for (const theme of THEMES) {
			const editor = await Editor.open(browser, demo.client, { theme, size: SIZE });
			await takePictures(editor, demo, theme);
			await editor.close();
		}
	} finally {
		await undoAll();
	}
}

async function takePictures(editor: Editor, demo: Demo, theme: Theme): Promise<void> {
	const { page } = editor;
	const picture = async (name: string) => {
		const path = join(FOLDER, `${name}-${theme}.png`);
		await page.screenshot({ path, animations: 'disabled' });
		console.log(`  ${path}`);
	};
	await editor.openWorkflow(demo.workflowIds.get('check-phone-list') ?? '');
	await editor.executeWorkflow();
	await editor.settle();
	await picture('workflow');
	const panel = await editor.openNode('Check Number');
	await panel.waitForOutput();
	await editor.settle();
	await picture('panel');
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
