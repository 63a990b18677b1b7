import type { Locator, Page } from 'playwright-core';

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
