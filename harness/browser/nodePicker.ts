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
