import type { Browser, Locator, Page } from 'playwright-core';
import type { N8nClient } from '..';
import { CredentialForm } from './credentialForm';
import { NodePanel } from './nodePanel';
import { NodePicker } from './nodePicker';

export type Theme = 'light' | 'dark';

interface EditorOptions {
	readonly theme?: Theme;
	readonly size?: { readonly width: number; readonly height: number };
}

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
		await context.addCookies([{ name, value, url: session.url }]);
		await context.addInitScript({
			content: `localStorage.setItem('n8n-browserId', '${browserId}'); localStorage.setItem('N8N_THEME', '${theme}');`,
		});
		await context.route(
			({ origin }) => origin !== session.url,
			async (route) => await route.abort(),
		);
		const page = await context.newPage();
		page.setDefaultTimeout(60_000);
		return new Editor(page, session.url);
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.node().first().waitFor();
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

/** The editor also requests external URLs, which are blocked here, and schemas that n8n's own nodes do not have. */
function isOurs(source: string, url: string): boolean {
	return source.startsWith(url) && !source.startsWith(`${url}/schemas/n8n-nodes-base.`);
}
