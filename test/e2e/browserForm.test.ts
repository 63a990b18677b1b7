import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ALWAYS_SUCCEEDS } from '../emulator/test-numbers';
import {
	connect,
	formUrl,
	type N8nClient,
	readWorkflowFiles,
	withParameters,
	type WorkflowFile,
} from '../real-n8n';
import { launchChromium } from './browser/chromium';
import { describeIfChromium } from './browser/describeIfChromium';
import { instances } from './instances';
import { CREDENTIAL_TYPE, type Service, startService } from './service';
import { waitsAfter } from './waitsAfter';

/** n8n looks once a minute for executions that have waited long enough; the page asks at growing intervals. */
const TIMER_LIMIT = 150_000;
const EXAMPLE = 'verify-by-inbound-call';

describeIfChromium.each(instances)('a visitor of a form in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let service: Service;
	let browser: Browser;
	let page: Page;
	let workflowId: string;

	beforeAll(async () => {
		client = await connect({ line, url });
		service = await startService(client);
		browser = await launchChromium();
	});

	afterAll(async () => {
		await browser?.close();
		await service?.emulator.close();
	});

	beforeEach(async () => {
		const context = await browser.newContext();
		// n8n's pages fetch a font and an icon from outside.
		await context.route(
			({ origin }) => origin !== url,
			async (route) => await route.abort(),
		);
		page = await context.newPage();
	});

	afterEach(async () => {
		await page.context().close();
		await client.workflows.unpublish(workflowId);
	});

	test('sees the number, calls it, and is thanked', async () => {
		await fillIn(await publish());
		const { emulator } = service;
		const number = emulator.ledger.inboundWaits.at(-1)?.confirmationNumber;
		await heading(`Now call +${number}`).waitFor();
		await waitsAfter(client, workflowId, 'Is a Call Awaited?');

		expect(await emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });

		await heading('Thank you').waitFor();
		expect(await page.locator('body').innerText()).toContain('your phone is verified');
	});

	test(
		'is told when no call came',
		async () => {
			await fillIn(await publish({ limitWaitTime: 0.02 }));

			await heading('No call came').waitFor({ timeout: TIMER_LIMIT });
		},
		TIMER_LIMIT + 60_000,
	);

	function heading(name: string) {
		return page.getByRole('heading', { name });
	}

	async function fillIn(form: string): Promise<void> {
		await page.goto(form);
		await page.getByLabel('Phone number').fill('+7 900 000-00-01');
		await page.getByRole('button', { name: 'Continue' }).click();
		await heading('Now call').waitFor();
	}

	/** Publishes the example with the test's own credential, and returns the address of its form. */
	async function publish(wait: { limitWaitTime?: number } = {}): Promise<string> {
		const { id, name } = service.credential;
		const webhookId = randomUUID();
		const file = withParameters(await readExample(), 'Wait for the Call', wait);
		const nodes = file.nodes.map((node) => ({
			...node,
			...(node.type === 'n8n-nodes-base.formTrigger' && { webhookId }),
			...(node.credentials && { credentials: { [CREDENTIAL_TYPE]: { id, name } } }),
		}));
		({ id: workflowId } = await client.workflows.create({ ...file, nodes }));
		await client.workflows.publish(workflowId);
		return formUrl(url, webhookId);
	}
});

async function readExample(): Promise<WorkflowFile> {
	const file = (await readWorkflowFiles(join(__dirname, '../../examples'))).get(EXAMPLE);
	if (!file) throw new Error(`There is no example ${EXAMPLE}`);
	return file;
}
