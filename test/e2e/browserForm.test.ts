import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { ALWAYS_SUCCEEDS } from '../../emulator/testNumbers';
import { connect, formUrl, type N8nClient, waitUntil, withParameters } from '../../harness';
import { launchChromium } from '../../harness/browser/chromium';
import { describeIfChromium } from './inBrowser';
import { instances } from './instances';
import {
	CREDENTIAL_TYPE,
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';
import { readExample } from '../../harness/workflows/publishedExample';
import { waitsAfter } from './waitsAfter';

/** n8n checks once a minute for executions whose wait has ended; the page polls at growing intervals. */
const TIMER_LIMIT = 150_000;
const PATIENCE = 60_000;
const LIMIT = 120_000;
/** Minutes. A slow page must have opened by then. */
const SHORT = 0.2;

const PHONE: BrowserContextOptions = {
	viewport: { width: 390, height: 700 },
	isMobile: true,
	hasTouch: true,
};
const DESKTOP: BrowserContextOptions = { viewport: { width: 1_280, height: 720 } };

describeIfChromium.each(instances)('a visitor of a form in n8n $version', ({ line, url }) => {
	let client: N8nClient;
	let service: EmulatedService;
	let browser: Browser;
	let published: string[] = [];
	/** Visitors whose time is up while the other tests run, and their windows. */
	let late: Awaited<ReturnType<typeof openForTooLong>>;
	let lateWindows: BrowserContext[] = [];

	beforeAll(async () => {
		client = await connect({ line, url });
		// The result of a call stays unknown, as it may for up to a minute.
		service = await startEmulatedService(client, { callResultAfterMs: 3_600_000 });
		browser = await launchChromium();
		late = await openForTooLong();
		lateWindows = browser.contexts();
		published = [];
	});

	afterAll(async () => {
		for (const id of late?.workflows ?? []) await client.workflows.unpublish(id);
		await browser?.close();
		await service?.emulator.close();
	});

	afterEach(async () => {
		for (const context of browser.contexts()) {
			if (!lateWindows.includes(context)) await context.close();
		}
		for (const id of published) await client.workflows.unpublish(id);
		published = [];
	});

	test.each([
		['on a phone', PHONE, '+7 916 111-11-11'],
		['at a desk', DESKTOP, '+7 916 222-22-22'],
	])(
		'%s is asked for the code while the phone rings, mistypes, reloads, goes back, and is verified',
		async (_where, device, phone) => {
			const { form } = await publish('call-and-check-code');
			const page = await open(device);
			await page.goto(form);
			expect(await page.getByLabel('Phone number').getAttribute('type')).toBe('tel');
			await send(page, 'Phone number', phone, 'Call me');
			await seen(page, 'We are calling you now');
			expect(await page.getByLabel('Code').getAttribute('type')).toBe('tel');
			await send(page, 'Code', '12', 'Check');
			await seen(page, 'That was not the code', 'You have 4 more tries');

			await page.reload();
			await seen(page, 'That was not the code', 'You have 4 more tries');
			await page.goto(form);
			await page.getByLabel('Phone number').waitFor();
			await page.goBack();
			await seen(page, 'That was not the code', 'You have 4 more tries');

			await send(page, 'Code', service.emulator.ledger.calls.at(-1)?.code ?? '', 'Check');
			await seen(page, 'Thank you', 'Your phone is verified');
		},
		LIMIT,
	);

	test.each([
		['call-and-check-code', 'Call me'],
		['verify-by-inbound-call', 'Continue'],
	])(
		'of %s whose number is refused can start again, and can reload what was said',
		async (name, button) => {
			const { form, id } = await publish(name);
			const page = await open(PHONE);
			await page.goto(form);
			await send(page, 'Phone number', '8 916 123-45-67', button);
			await seen(page, 'We need the country code', '+7 900 000-00-01');
			await ended(id);
			await page.reload();
			await seen(page, 'We need the country code', '+7 900 000-00-01');

			await page.getByRole('link', { name: 'Start again' }).click();
			await page.getByLabel('Phone number').waitFor();
			expect(page.url()).toBe(form);
		},
		LIMIT,
	);

	test(
		'on a phone taps the number, comes back to the page, calls, and is thanked',
		async () => {
			const { form, id } = await publish('verify-by-inbound-call');
			const page = await open(PHONE);
			await page.goto(form);
			await send(page, 'Phone number', '+7 900 000-00-01', 'Continue');
			await seen(page, 'Call this number now', 'within a minute or two');
			const { emulator } = service;
			const number = `+${emulator.ledger.inboundWaits.at(-1)?.confirmationNumber}`;
			const link = page.getByRole('link');
			expect(await link.getAttribute('href')).toBe(`tel:${number}`);
			expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
			await waitsAfter(client, id, 'Waiting for a Call?');

			await page.reload();
			await seen(page, 'Call this number now', 'within a minute or two');
			expect(await link.getAttribute('href')).toBe(`tel:${number}`);
			expect(await emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });
			await seen(page, 'Thank you', 'your phone is verified');

			await ended(id);
			await page.reload();
			await seen(page, 'Thank you', 'your phone is verified');
		},
		LIMIT,
	);

	test(
		'at a desk reads the number in groups of digits, and is thanked on the page that was open',
		async () => {
			const { form, id } = await publish('verify-by-inbound-call');
			const page = await open(DESKTOP);
			await page.goto(form);
			await send(page, 'Phone number', '+7 900 000-00-01', 'Continue');
			const number = page.getByText(/^\+7 \d{3} \d{3} \d\d \d\d$/);
			await number.waitFor();
			const style = "getComputedStyle(document.querySelector('.number'))";
			expect(await page.evaluate(`${style}.fontSize`)).toBe('34px');
			expect(await page.evaluate(`${style}.pointerEvents`)).toBe('none');
			await waitsAfter(client, id, 'Waiting for a Call?');
			expect(await service.emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });

			await seen(page, 'Thank you', 'your phone is verified');
		},
		LIMIT,
	);

	test(
		'is told on the open page when the time is up',
		async () => {
			const { workflows, typing, reloading, calling } = late;
			const visits = await client.executions.list(workflows[0]);
			for (const { id } of visits) await reaches(id, 'Time Is Up');
			await send(typing, 'Code', '1234', 'Check');
			await seen(typing, 'Time is up', 'We did not get a code');
			await reloading.reload();
			await seen(reloading, 'Time is up', 'We did not get a code');
			await reloading.getByRole('link', { name: 'Start again' }).click();
			await reloading.getByLabel('Phone number').waitFor();
			await seen(calling, 'We received no call', 'We waited for ten minutes', TIMER_LIMIT);

			for (const { id } of visits) {
				expect((await client.executions.get(id)).nodes).not.toHaveProperty('Check Code');
			}
		},
		TIMER_LIMIT + LIMIT,
	);

	/** Three visitors on pages that wait for a few seconds only. */
	async function openForTooLong() {
		const code = await publish('call-and-check-code', 'Ask for the Code', { resumeAmount: SHORT });
		const call = await publish('verify-by-inbound-call', 'Wait for the Call', {
			limitWaitTime: SHORT,
		});
		const visit = async (
			form: string,
			device: BrowserContextOptions,
			...entered: [phone: string, button: string, shown: string]
		) => {
			const [phone, button, shown] = entered;
			const page = await open(device);
			await page.goto(form);
			await send(page, 'Phone number', phone, button);
			await page.getByRole('heading', { name: shown }).waitFor({ timeout: PATIENCE });
			return page;
		};
		return {
			workflows: [code.id, call.id] as const,
			calling: await visit(call.form, PHONE, '+7 916 555-55-55', 'Continue', 'Call this number'),
			reloading: await visit(code.form, DESKTOP, '+7 916 333-33-33', 'Call me', 'We are calling'),
			typing: await visit(code.form, PHONE, '+7 916 444-44-44', 'Call me', 'We are calling'),
		};
	}

	async function open(device: BrowserContextOptions): Promise<Page> {
		const context = await browser.newContext(device);
		// n8n's pages load a font and an icon from the internet.
		await context.route(
			({ origin }) => origin !== url,
			async (route) => await route.abort(),
		);
		return await context.newPage();
	}

	async function send(page: Page, field: string, value: string, button: string): Promise<void> {
		await page.getByLabel(field).fill(value);
		await page.getByRole('button', { name: button }).click();
	}

	/** Waits for the page and expects its text to fit the width. */
	async function seen(page: Page, title: string, text = '', timeout = PATIENCE): Promise<void> {
		const body = page.locator('body');
		try {
			await page.getByRole('heading', { name: title }).waitFor({ timeout });
		} catch {
			throw new Error(`The page does not show "${title}" but:\n${await body.innerText()}`);
		}
		expect(await body.innerText()).toContain(text);
		const width = page.viewportSize()?.width ?? 0;
		const cutOff = [];
		for (const element of await page.locator('h1, p, a, input, button').all()) {
			const box = await element.boundingBox();
			if (box && (box.x < 0 || box.x + box.width > width)) cutOff.push(await element.innerText());
		}
		expect(cutOff).toEqual([]);
	}

	/** n8n does not answer a page reload while the execution is still running. */
	async function ended(workflowId: string): Promise<void> {
		const [newest] = await client.executions.list(workflowId);
		await client.executions.wait(newest?.id ?? '', { until: ['success'] });
	}

	async function reaches(executionId: string, node: string): Promise<void> {
		await waitUntil(
			async () => {
				const { status, nodes } = await client.executions.get(executionId);
				return status === 'waiting' && nodes[node] ? true : undefined;
			},
			{ what: `the execution has reached "${node}"`, limit: TIMER_LIMIT },
		);
	}

	/** Publishes the example at a unique address, with the test's credential. */
	async function publish(
		name: string,
		nodeName = 'Visitor’s Form',
		values: INodeParameters = {},
	): Promise<{ form: string; id: string }> {
		const { id: credentialId, name: credentialName } = service.credential;
		const example = withParameters(await readExample(name), nodeName, values);
		const trigger = example.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
		const options = { ...Object(trigger?.parameters?.options), path: randomUUID() };
		const file = withParameters(example, 'Visitor’s Form', { options });
		const nodes = file.nodes.map((node) => ({
			...node,
			...(node.credentials && {
				credentials: { [CREDENTIAL_TYPE]: { id: credentialId, name: credentialName } },
			}),
		}));
		const { id } = await client.workflows.create({ ...file, nodes });
		published.push(id);
		await client.workflows.publish(id);
		return { form: formUrl(url, { nodes }), id };
	}
});
