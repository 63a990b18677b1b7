import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '../harness/browser/chromium';
import { Editor, type Theme } from '../harness/browser/editor';
import { inFolder } from '../harness/workflows/inFolder';
import { filesOf, readWorkflowFiles, stopOnSignal, withParameters } from '../harness';
import { type Demo, startDemo } from './demo/startDemo';

const FOLDER = join(__dirname, '..', 'docs', 'images');
const EXAMPLES = join(__dirname, '..', 'examples');
const THEMES: readonly Theme[] = ['light', 'dark'];
const SIZE = { width: 1280, height: 720 };

/** Writes the screenshots for the README: the example in the editor, and the node with its result. */
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
	await editor.openWorkflow(await withResultOnly(demo));
	await editor.executeWorkflow();
	await editor.settle();
	const panel = await editor.openNode('Check Number');
	await panel.waitForOutput();
	await editor.settle();
	await picture('panel');
}

/** The example without the columns of the list, which leave no room for the result in a screenshot of this size. */
async function withResultOnly({ client, n8n }: Demo): Promise<string> {
	const example = (await readWorkflowFiles(EXAMPLES)).get('check-phone-list');
	if (example === undefined) throw new Error('examples/check-phone-list.json is missing');
	const file = withParameters(example, 'Check Number', { options: {} });
	const { id } = await client.workflows.create(
		inFolder(file, join(filesOf(n8n.userFolder), 'sample')),
	);
	return id;
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
