import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../harness/browser/chromium';
import { Editor, type Theme } from '../harness/browser/editor';
import { inFolder, withChosenCredentials, withCountryCode } from '../harness/workflows/examples';
import { filesOf, readWorkflowFiles, stopOnSignal, withParameters } from '../harness';
import { SAMPLE_LIST } from './demo/importExamples';
import { type Demo, formOf, startDemo } from './demo/startDemo';
import { animatedPng } from './pictures/apng';
import { dress, openVisitor, recordVerification } from './pictures/visitor';
import { ROOT } from './project';

const FOLDER = join(ROOT, 'docs', 'images');
const EXAMPLES = join(ROOT, 'examples');
const THEMES: readonly Theme[] = ['light', 'dark'];
const SIZE = { width: 1280, height: 720 };
/** Around the nodes of a workflow: room for their names, but not for the editor's buttons on the right. */
const MARGIN = { top: 16, bottom: 56, left: 70, right: 46 };

/** Pictures of recipes on the canvas. */
const CANVASES = [
	['workflow', 'results-to-google-sheets'],
	['bitrix24', 'bitrix24-check-contacts'],
	['amocrm', 'amocrm-check-contacts'],
	['hubspot', 'hubspot-check-contacts'],
	['tilda', 'tilda-lead'],
	['telegram', 'telegram-login'],
] as const;

/** Of other services, so that n8n does not warn of a missing credential. */
const CREDENTIALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	googleApi: { email: 'n8n@example.com', privateKey: 'none', region: 'europe-west1' },
	httpHeaderAuth: { name: 'Authorization', value: 'none' },
	hubspotAppToken: { appToken: 'none' },
	telegramApi: { accessToken: 'none', baseUrl: 'https://api.telegram.org' },
};

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** The editor's own, which lie on a large workflow. */
const NO_BUTTONS =
	':has(> * > [data-test-id="execute-workflow-button"]), [data-test-id="canvas-controls"] { visibility: hidden }';

type Save = (name: string, picture: Buffer | Page) => Promise<void>;

/** Writes the pictures of the README and the documentation, from a real n8n and the emulated service. */
async function main(): Promise<void> {
	const only = canvasNames();
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
			const save: Save = async (name, picture) => {
				const path = join(FOLDER, `${name}-${theme}.png`);
				const png = Buffer.isBuffer(picture)
					? picture
					: await picture.screenshot({ animations: 'disabled' });
				await writeFile(path, png);
				console.log(`  ${path} ${Math.ceil(png.length / 1_000)} kB`);
			};
			const editor = await Editor.open(browser, demo.client, { theme, size: SIZE });
			await takeCanvases(editor, demo, save, only);
			if (only === undefined) {
				await save('verify', animatedPng(await recordVerification(browser, demo, theme)));
				await takeForms(browser, demo, theme, save);
				await takePanels(editor, demo, save);
			}
			await editor.close();
		}
	} finally {
		await undoAll();
	}
}

/** Those after `--only`; undefined if all pictures are wanted. */
function canvasNames(): string[] | undefined {
	const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
	const names = only?.split(',');
	const known: readonly string[] = CANVASES.map(([name]) => name);
	const unknown = names?.find((name) => !known.includes(name));
	if (unknown !== undefined) {
		throw new Error(`There is no ${unknown}. With --only, name some of ${known.join()}`);
	}
	return names;
}

/** What visitors see. */
async function takeForms(browser: Browser, demo: Demo, theme: Theme, save: Save): Promise<void> {
	const page = await openVisitor(browser, theme);
	await page.goto(await formOf(demo, 'check-list-form'));
	await page
		.getByLabel('Your list')
		.setInputFiles({ name: 'phones.csv', mimeType: 'text/csv', buffer: Buffer.from(SAMPLE_LIST) });
	await page.getByLabel('Your country code').fill('7');
	await page.getByRole('button', { name: 'Check' }).click();
	await page.getByRole('link', { name: 'Check another list' }).waitFor();
	await page.setViewportSize({ width: 720, height: 490 });
	await save('list', page);

	await page.goto(await formOf(demo, 'verify-by-inbound-call'));
	await page.getByLabel('Phone number').fill('+7 900 123-45-67');
	await page.getByRole('button').last().click();
	await page.getByText('Keep this page open').waitFor();
	await dress(page, theme);
	await page.setViewportSize({ width: 720, height: 440 });
	await save('inbound', page);
	await page.context().close();
}

/** Recipes, all of them or those with these names. */
async function takeCanvases(
	editor: Editor,
	demo: Demo,
	save: Save,
	only: readonly string[] | undefined,
): Promise<void> {
	const { page } = editor;
	for (const [name, recipe] of CANVASES) {
		if (only?.includes(name) === false) continue;
		await editor.openWorkflow(await configured(recipe, demo));
		await editor.settle();
		const clip = await areaOfNodes(editor);
		await save(name, await page.screenshot({ animations: 'disabled', clip, style: NO_BUTTONS }));
	}
}

/** Nodes that are open. */
async function takePanels(editor: Editor, demo: Demo, save: Save): Promise<void> {
	const { page } = editor;
	await editor.openWorkflow(await withResultOnly(demo));
	await editor.executeWorkflow();
	await editor.settle();
	const panel = await editor.openNode('Check Number');
	await panel.waitForOutput();
	await editor.settle();
	await save('panel', page);

	await panel.openCredential();
	await editor.credentialForm.waitForGreen();
	await editor.credentialForm.fill('baseUrl', 'https://api.ucaller.ru');
	// It is about the emulated service, not about that address.
	await page.addStyleTag({
		content: `[data-test-id$="test-success"] { display: none !important; }`,
	});
	await save('credential', page);

	await editor.openWorkflow(demo.workflowIds.get('low-balance-alert') ?? '');
	await editor.openNode('Get Balance');
	await panel.execute();
	await editor.settle();
	await save('balance', page);
}

/** After somebody has chosen the credentials, because n8n warns of a missing one. Without notes, nodes are larger. */
async function configured(name: string, { client }: Pick<Demo, 'client'>): Promise<string> {
	const recipe = (await readWorkflowFiles(join(EXAMPLES, 'recipes'))).get(name);
	if (recipe === undefined) throw new Error(`The recipe ${name} is missing`);
	const known = await client.credentials.list();
	for (const [type, data] of Object.entries(CREDENTIALS)) {
		if (known.some((credential) => credential.type === type)) continue;
		known.push(await client.credentials.create(type, type, data));
	}
	const chosen = Object.fromEntries(known.map((credential) => [credential.type, credential]));
	const file = withChosenCredentials(recipe, chosen);
	const nodes = file.nodes.filter(({ type }) => type !== STICKY_NOTE);
	const { id } = await client.workflows.create({ ...file, nodes });
	return id;
}

async function areaOfNodes(editor: Editor) {
	const nodes = await editor.node().all();
	const boxes = (await Promise.all(nodes.map(async (node) => await node.boundingBox()))).filter(
		(box) => box !== null,
	);
	const left = Math.min(...boxes.map(({ x }) => x)) - MARGIN.left;
	const top = Math.min(...boxes.map(({ y }) => y)) - MARGIN.top;
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + MARGIN.right;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + MARGIN.bottom;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The example without the columns of the list, which leave no room for the result in a screenshot of this size. */
async function withResultOnly({ client, n8n }: Demo): Promise<string> {
	const example = (await readWorkflowFiles(EXAMPLES)).get('check-phone-list');
	if (example === undefined) throw new Error('examples/check-phone-list.json is missing');
	const file = withParameters(withCountryCode(example), 'Check Number', { options: {} });
	const { id } = await client.workflows.create(
		inFolder(file, join(filesOf(n8n.userFolder), 'sample')),
	);
	return id;
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
