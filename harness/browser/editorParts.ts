import type { Locator, Page } from 'playwright-core';

/** The list of nodes that opens with the plus button. */
export class NodePicker {
	constructor(private readonly page: Page) {}

	async open(): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
		await this.search.waitFor();
	}

	/** Types into the search field and waits until a node with that name is offered. */
	async find(text: string, name: string): Promise<void> {
		await this.search.fill(text);
		try {
			await this.entry(name).waitFor();
		} catch {
			const offered = (await this.names.allInnerTexts()).join(', ') || 'nothing';
			throw new Error(`Typing "${text}" does not offer "${name}" but ${offered}`);
		}
	}

	/** Chooses an entry and returns the names of the node's actions. */
	async choose(name: string): Promise<string[]> {
		await this.entry(name).click();
		await this.page.getByTestId('node-creator-category-item').first().waitFor();
		return (await this.names.allInnerTexts()).map((action) => action.trim());
	}

	private entry(name: string): Locator {
		return this.names.getByText(name, { exact: true }).first();
	}

	private get search(): Locator {
		return this.page.getByTestId('node-creator-search-bar');
	}

	private get names(): Locator {
		return this.page.getByTestId('node-creator').getByTestId('node-creator-item-name');
	}
}

const ITEM = '[data-test-id="parameter-item"]';

interface ShownError {
	readonly message: string;
	readonly description: string;
}

/** The panel of one node: input on the left, parameters in the middle, output on the right. */
export class NodePanel {
	constructor(private readonly page: Page) {}

	async waitFor(): Promise<void> {
		await this.root.waitFor();
		await this.items.first().waitFor();
	}

	/** Labels of the fields and texts of the notices, from top to bottom, without the content of collections. */
	async fields(): Promise<string[]> {
		const texts = await this.items.filter({ visible: true }).all();
		return await Promise.all(texts.map(async (item) => await labelOf(item)));
	}

	/** Chooses an entry of a drop-down field, by the field's and the entry's name. */
	async choose(parameter: string, entry: string): Promise<void> {
		await this.root.getByTestId(`parameter-input-${parameter}`).click();
		await this.page
			.locator('.el-select-dropdown__item, [role="option"]')
			.filter({ visible: true, hasText: entry })
			.first()
			.click();
	}

	/** Presses "Execute step" and waits until the output has something to show. */
	async execute(): Promise<void> {
		await this.root.getByTestId('node-execute-button').click();
		await this.waitForOutput();
	}

	async waitForOutput(): Promise<void> {
		await this.output.getByTestId('node-run-info').waitFor();
	}

	/** Waits until a text is visible in the output. */
	async waitForOutputText(text: string): Promise<void> {
		try {
			await this.output.getByText(text).first().waitFor();
		} catch {
			throw new Error(`The output does not show "${text}" but:\n${await this.outputText()}`);
		}
	}

	/** Column headings of the output that are visible without scrolling. */
	async columnsInSight(): Promise<string[]> {
		const frame = await this.output.boundingBox();
		const headings = await this.output.locator('thead th').all();
		const seen = await Promise.all(
			headings.map(async (heading) => {
				const box = await heading.boundingBox();
				const isWhole = box && frame && box.x + box.width <= frame.x + frame.width;
				return isWhole ? [(await heading.innerText()).trim()] : [];
			}),
		);
		return seen.flat().filter((text) => text !== '');
	}

	async outputText(): Promise<string> {
		return await this.output.innerText();
	}

	async error(): Promise<ShownError> {
		const message = await this.output.getByTestId('node-error-message').innerText();
		const description = await this.output.getByTestId('node-error-description').innerText();
		return { message, description };
	}

	async openCredential(): Promise<void> {
		await this.root.getByTestId('credential-edit-button').click();
	}

	async close(): Promise<void> {
		await this.root.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}

	private get root(): Locator {
		return this.page.getByTestId('ndv');
	}

	private get output(): Locator {
		return this.root.getByTestId('output-panel');
	}

	private get items(): Locator {
		return this.root.getByTestId('node-parameters').locator(`${ITEM}:not(${ITEM} ${ITEM})`);
	}
}

async function labelOf(item: Locator): Promise<string> {
	const label = item.getByTestId('input-label').first();
	const text = (await label.count()) > 0 ? await label.innerText() : await item.innerText();
	return text.split('\n')[0]?.trim() ?? '';
}

/** The dialog where users enter and test a credential. */
export class CredentialForm {
	constructor(private readonly page: Page) {}

	/** Labels of the fields, from top to bottom. */
	async fields(): Promise<string[]> {
		const parameters = this.root.getByTestId('credential-connection-parameter');
		await parameters.first().waitFor();
		const texts = await parameters.filter({ visible: true }).allInnerTexts();
		return texts.map((text) => text.split('\n')[0]?.replace('*', '').trim() ?? '');
	}

	async fill(field: string, value: string): Promise<void> {
		await this.root.getByTestId(`parameter-input-${field}`).locator('input').fill(value);
	}

	/** Saves the credential, which makes n8n test it. */
	async save(): Promise<void> {
		await this.root.getByTestId('credential-save-button').click();
	}

	async waitForGreen(): Promise<void> {
		await this.root.getByTestId('credentials-config-container-test-success').waitFor();
	}

	/** Waits for the red banner and returns what it says, with its details. */
	async waitForRed(): Promise<string> {
		const banner = this.root.getByText('Couldn’t connect with these settings');
		await banner.waitFor();
		await this.root.getByText('More details').click();
		return await this.root.innerText();
	}

	async close(): Promise<void> {
		await this.page.keyboard.press('Escape');
	}

	private get root(): Locator {
		return this.page.getByTestId('editCredential-modal');
	}
}
