import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { ALWAYS_SUCCEEDS } from '../../emulator/testNumbers';
import { formUrl, itemsOf, withParameters } from '../../harness';
import { DESKTOP, describeVisitors, PHONE } from './inBrowser';
import { publishExample } from '../../harness/workflows/publishedExample';
import { waitsAfter } from './waitsAfter';

/** n8n checks once a minute for executions whose wait has ended; the page polls at growing intervals. */
const TIMER_LIMIT = 150_000;
/** Minutes. A slow page must have opened by then. */
const SHORT = 0.2;
const BUTTONS = { 'call-and-check-code': 'Call me', 'verify-by-inbound-call': 'Continue' };

// The result of a call stays unknown, as it may for up to a minute.
describeVisitors('a visitor of a form', { callResultAfterMs: 3_600_000 }, (n8n, openPage) => {
	/** Visitors whose time is up while the other tests run. */
	let late: Awaited<ReturnType<typeof openForTooLong>>;

	beforeAll(async () => {
		late = await openForTooLong();
	});

	test.each([
		['on a phone', PHONE, '+7 916 111-11-11'],
		['at a desk', DESKTOP, '+7 916 222-22-22'],
	])(
		'%s is asked for the code while the phone rings, mistypes, reloads, goes back, and is verified',
		async (_where, device, phone) => {
			const { page, form, id } = await enter('call-and-check-code', device, phone);
			await seen(page, 'We are calling you now');
			expect(await page.getByLabel('Code').getAttribute('type')).toBe('tel');
			await send(page, 'Code', '12', 'Check');
			await seen(page, 'That was not the code', 'You have 4 more tries');

			await page.reload();
			await seen(page, 'That was not the code', 'You have 4 more tries');
			await page.goto(form);
			expect(await page.getByLabel('Phone number').getAttribute('type')).toBe('tel');
			await page.goBack();
			await seen(page, 'That was not the code', 'You have 4 more tries');

			const call = n8n.emulator.ledger.calls.at(-1);
			expect(call).toMatchObject({ phone: phone.replace(/\D/g, ''), client: 'form' });
			await send(page, 'Code', call?.code ?? '', 'Check');
			await seen(page, 'Thank you', 'Your phone is verified');
			const [visit] = await n8n.client.executions.list(id);
			const execution = await n8n.client.executions.wait(visit?.id ?? '', {
				until: ['waiting', 'success'],
				ran: 'Check Code',
			});
			expect(itemsOf(execution, 'Check Code').at(-1)).toMatchObject({
				call_state: 'checking',
				verified_phone: call?.phone,
			});
			expect(itemsOf(execution, 'Call')[0]).not.toHaveProperty('code');
		},
	);

	test.each(['call-and-check-code', 'verify-by-inbound-call'] as const)(
		'of %s whose number is refused can start again, and can reload what was said',
		async (name) => {
			const { page, form, id } = await enter(name, PHONE, '8 916 123-45-67');
			await seen(page, 'We need the country code', '+7 900 000-00-01');
			await ended(id);
			await page.reload();
			await seen(page, 'We need the country code', '+7 900 000-00-01');

			await page.getByRole('link', { name: 'Start again' }).click();
			await page.getByLabel('Phone number').waitFor();
			expect(page.url()).toBe(form);
		},
	);

	test('on a phone taps the number, comes back to the page, calls, and is thanked', async () => {
		const { page, id } = await enter('verify-by-inbound-call', PHONE, '+7 900 000-00-01');
		await seen(page, 'Call this number now', 'within a minute or two');
		const { emulator } = n8n;
		const number = `+${emulator.ledger.inboundWaits.at(-1)?.confirmationNumber}`;
		const link = page.getByRole('link');
		expect(await link.getAttribute('href')).toBe(`tel:${number}`);
		expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
		await waitsAfter(n8n.client, id, 'Waiting for a Call?');

		await page.reload();
		await seen(page, 'Call this number now', 'within a minute or two');
		expect(await link.getAttribute('href')).toBe(`tel:${number}`);
		expect(await emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });
		await seen(page, 'Thank you', 'your phone is verified');

		await ended(id);
		await page.reload();
		await seen(page, 'Thank you', 'your phone is verified');
	});

	test('at a desk reads the number in groups of digits, and is thanked on the page that was open', async () => {
		const { page, id } = await enter('verify-by-inbound-call', DESKTOP, '+7 900 000-00-01');
		await seen(page, 'Call this number now', 'Call from the phone ending in 01');
		const number = page.getByText(/^\+7 \d{3} \d{3} \d\d \d\d$/);
		await number.waitFor();
		const style = "getComputedStyle(document.querySelector('.number'))";
		expect(await page.evaluate(`${style}.fontSize`)).toBe('34px');
		expect(await page.evaluate(`${style}.pointerEvents`)).toBe('none');
		await waitsAfter(n8n.client, id, 'Waiting for a Call?');
		expect(await n8n.emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });

		await seen(page, 'Thank you', 'your phone is verified');
	});

	test(
		'is told on the open page when the time is up',
		async () => {
			const [typing, reloading, calling] = [
				late.typing.page,
				late.reloading.page,
				late.calling.page,
			];
			const lists = [late.typing, late.reloading].map(
				async ({ id }) => await n8n.client.executions.list(id),
			);
			const visits = (await Promise.all(lists)).flat();
			const over = { until: ['waiting'], ran: 'Time Is Up', limit: TIMER_LIMIT } as const;
			for (const { id } of visits) await n8n.client.executions.wait(id, over);
			await send(typing, 'Code', '1234', 'Check');
			await seen(typing, 'Time is up', 'We did not get a code');
			await reloading.reload();
			await seen(reloading, 'Time is up', 'We did not get a code');
			await reloading.getByRole('link', { name: 'Start again' }).click();
			await reloading.getByLabel('Phone number').waitFor();
			await seen(calling, 'We received no call', 'We waited for ten minutes', TIMER_LIMIT);

			for (const { id } of visits) {
				expect((await n8n.client.executions.get(id)).nodes).not.toHaveProperty('Check Code');
			}
		},
		2 * TIMER_LIMIT,
	);

	/** Three visitors on pages that wait for a few seconds only. */
	async function openForTooLong() {
		const code = { node: 'Ask for the Code', values: { resumeAmount: SHORT } };
		const call = { node: 'Wait for the Call', values: { limitWaitTime: SHORT } };
		const calling = await enter('verify-by-inbound-call', PHONE, '+7 916 555-55-55', call);
		await seen(calling.page, 'Call this number');
		const reloading = await enter('call-and-check-code', DESKTOP, '+7 916 333-33-33', code);
		await seen(reloading.page, 'We are calling');
		const typing = await enter('call-and-check-code', PHONE, '+7 916 444-44-44', code);
		await seen(typing.page, 'We are calling');
		return { calling, reloading, typing };
	}

	/** Publishes the example at a unique address, with other values in a node, and enters a number in its form. */
	async function enter(
		name: keyof typeof BUTTONS,
		device: BrowserContextOptions,
		phone: string,
		other?: { readonly node: string; readonly values: INodeParameters },
	) {
		const { id, file } = await publishExample(name, randomUUID(), n8n, {}, (example) =>
			other ? withParameters(example, other.node, other.values) : example,
		);
		const form = formUrl(n8n.url, file);
		const page = await openPage(device);
		await page.goto(form);
		await send(page, 'Phone number', phone, BUTTONS[name]);
		return { page, form, id };
	}

	async function send(page: Page, field: string, value: string, button: string): Promise<void> {
		await page.getByLabel(field).fill(value);
		await page.getByRole('button', { name: button }).click();
	}

	/** Waits for the page and expects its text to fit the width. */
	async function seen(page: Page, title: string, text = '', timeout?: number): Promise<void> {
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
		const [newest] = await n8n.client.executions.list(workflowId);
		await n8n.client.executions.wait(newest?.id ?? '', { until: ['success'] });
	}
});
