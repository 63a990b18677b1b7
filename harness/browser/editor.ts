import type { Browser, Locator, Page } from 'playwright-core';
import type { N8nClient } from '..';
import { PAGE_LIMIT } from './chromium';
import { CredentialForm, NodePanel, NodePicker } from './editorParts';

export type Theme = 'light' | 'dark';

interface EditorOptions {
	readonly theme?: Theme;
	readonly size?: { readonly width: number; readonly height: number };
}

/** How much of a workflow is on the canvas. */
export interface CanvasContent {
	readonly nodes: number;
	readonly notes: number;
	readonly connections: number;
}

/** Where a copied text is shown. No request leaves the browser. */
const SHOWN_AT = 'http://shown.example/file.json';

/**
 * What n8n's editor itself requests in vain: schemas that its own nodes do not have, the state of a workflow that is not
 * saved yet, and on 1.x an AI assistant.
 */
const UNRELATED = [
	/^\/schemas\/n8n-nodes-base\./,
	/^\/rest\/workflows\/\w+\/publication-status$/,
	/^\/rest\/ai\//,
	/^\/assets\/assistant\.store/,
];

/** n8n's editor in a real browser, signed in as the user of a client. */
export class Editor {
	readonly picker: NodePicker;
	readonly panel: NodePanel;
	readonly credentialForm: CredentialForm;
	/** Errors in the browser's console, as far as they concern this n8n. */
	readonly complaints: string[] = [];

	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {
		this.picker = new NodePicker(page);
		this.panel = new NodePanel(page);
		this.credentialForm = new CredentialForm(page);
		// Leaves a page that asks whether it may be left.
		page.on('dialog', (dialog) => {
			void (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss());
		});
		page.on('pageerror', (error) => this.complaints.push(error.message));
		page.on('console', (message) => {
			const source = message.location().url;
			if (message.type() !== 'error' || !isOurs(source, url)) return;
			this.complaints.push(`${message.text()} (${source.slice(url.length)})`);
		});
	}

	static async open(
		browser: Browser,
		{ session }: N8nClient,
		{ theme = 'light', size = { width: 1400, height: 900 } }: EditorOptions = {},
	): Promise<Editor> {
		const { cookie, browserId } = session.authentication;
		const [name = '', value = ''] = cookie.split(/=(.*)/s);
		const context = await browser.newContext({ viewport: size });
		context.setDefaultTimeout(PAGE_LIMIT);
		await context.addCookies([{ name, value, url: session.url }]);
		await context.addInitScript({
			content: `localStorage.setItem('n8n-browserId', '${browserId}'); localStorage.setItem('N8N_THEME', '${theme}');`,
		});
		await context.route(
			({ origin }) => origin !== session.url,
			async (route) => await route.abort(),
		);
		const page = await context.newPage();
		return new Editor(page, session.url);
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.node().first().waitFor();
	}

	/** Opens an empty canvas. From a saved workflow this takes a second, because the editor is not loaded again. */
	async openNewWorkflow(): Promise<void> {
		if (savedIdIn(this.page.url()) === undefined) {
			await this.page.goto(`${this.url}/workflow/new`);
		} else {
			await this.page.getByTestId('universal-add').click();
			const entry = this.page.getByRole('menuitem', { name: /^(New workflow|Workflow)$/ });
			await entry.filter({ visible: true }).click();
		}
		// n8n names the workflow last.
		await this.page.getByTestId('canvas-add-button').waitFor();
		await this.page
			.getByTestId('inline-edit-preview')
			.getByText(/^My workflow/)
			.waitFor();
	}

	/** Copies a file as somebody does who has opened its link: everything that the page shows. */
	async copyFromPage(text: string): Promise<void> {
		const tab = await this.page.context().newPage();
		const answer = { contentType: 'text/plain; charset=utf-8', body: text };
		await tab.route(SHOWN_AT, async (route) => await route.fulfill(answer));
		await tab.goto(SHOWN_AT);
		await tab.keyboard.press('Control+A');
		await tab.keyboard.press('Control+C');
		await tab.close();
	}

	/** Pastes what was copied where the canvas is empty. */
	async pasteOnCanvas(): Promise<void> {
		await this.page.locator('.vue-flow__pane').click({ position: { x: 200, y: 200 } });
		await this.page.keyboard.press('Control+V');
	}

	/** Imports a file with an entry of the menu beside the workflow's name, given with the entries that lead to it. */
	async importFile(path: string, entries: readonly string[]): Promise<void> {
		const [chooser] = await Promise.all([
			this.page.waitForEvent('filechooser'),
			this.chooseInMenu(entries),
		]);
		await chooser.setFiles(path);
	}

	private async chooseInMenu(entries: readonly string[]): Promise<void> {
		await this.page.getByTestId('workflow-menu').first().click();
		for (const name of entries) {
			await this.page.getByRole('menuitem', { name, exact: true }).click();
		}
	}

	async canvasContent(): Promise<CanvasContent> {
		const notes = this.page.getByTestId('sticky');
		const connections = this.page.getByTestId('edge');
		return {
			nodes: await this.node().count(),
			notes: await notes.count(),
			connections: await connections.count(),
		};
	}

	/** Saves a new workflow and returns its ID. */
	async saveNewWorkflow(): Promise<string> {
		await this.page.keyboard.press('Control+S');
		return await this.savedNewWorkflow();
	}

	/** Waits until a new workflow is saved, and returns its ID. From 2.x on, the editor saves by itself. */
	async savedNewWorkflow(): Promise<string> {
		await this.page.waitForURL(({ href }) => savedIdIn(href) !== undefined);
		return savedIdIn(this.page.url()) ?? '';
	}

	/** The errors that n8n shows in a corner; they stay until they are closed. */
	async shownErrors(): Promise<string[]> {
		const errors = this.page.locator('.el-notification:has(.el-notification--error)');
		return await errors.allInnerTexts();
	}

	/** A node on the canvas, or all of them. */
	node(name?: string): Locator {
		const named = name === undefined ? '' : `[data-node-name="${name}"]`;
		return this.page.locator(`[data-test-id="canvas-node"]${named}`);
	}

	async openNode(name: string): Promise<NodePanel> {
		await this.node(name).dblclick();
		await this.panel.waitFor();
		return this.panel;
	}

	/** Runs the whole workflow and waits until the editor reports its end. */
	async executeWorkflow(): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').first().click();
		await this.page.getByText('Workflow executed successfully').waitFor();
	}

	/** Moves the pointer out of the way and waits until no message covers the lower right corner. */
	async settle(): Promise<void> {
		await this.page.mouse.move(600, 5);
		await this.page.locator('.el-notification').first().waitFor({ state: 'detached' });
	}

	async close(): Promise<void> {
		await this.page.context().close();
	}
}

/** The editor also requests external URLs, which are blocked here. */
function isOurs(source: string, url: string): boolean {
	if (!source.startsWith(url)) return false;
	const path = source.slice(url.length);
	return !UNRELATED.some((pattern) => pattern.test(path));
}

/** The ID in the address of a workflow that n8n has stored. Some versions choose the ID before that. */
function savedIdIn(address: string): string | undefined {
	const { pathname, searchParams } = new URL(address);
	if (searchParams.has('new')) return undefined;
	return /^\/workflow\/(?!new$)(\w+)$/.exec(pathname)?.[1];
}
