import type { Locator, Page } from 'playwright-core';

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
