import { randomUUID } from 'node:crypto';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { ALWAYS_SUCCEEDS } from '../../emulator/service/numbers';
import { ucaller } from '../../emulator/played/ucaller';
import { formUrl, itemsOf, withParameters, type WorkflowFile } from '../../harness';
import { DESKTOP, describeVisitors, PHONE } from './inBrowser';
import { publishExample } from '../../harness/workflows/examples';
import { inCyrillic, translated } from './translated';
import { waitsAfter } from './waitsAfter';

/** Minutes. A slow page must have opened by then; the other tests last about as long. */
const SHORT = 2;
/** n8n checks once a minute for executions whose wait has ended; the page polls at growing intervals. */
const TIMER_LIMIT = SHORT * 60_000 + 150_000;
const BUTTONS = { 'call-and-check-code': 'Call me', 'verify-by-inbound-call': 'Continue' };

/** Their browser writes times in their language. */
const ABROAD = { ...PHONE, locale: 'ru-RU' };

const SERVICE = {
	// The result of a call stays unknown, as it may for up to a minute.
	callResultAfterMs: 3_600_000,
	// A number is called once in 15 seconds, and whoever asks sooner is told so.
	numberLimits: ucaller.numberLimits,
	refusalCodes: ucaller.refusalCodes,
};

describeVisitors('a visitor of a form', SERVICE, (n8n, openPage) => {
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
			await seen(page, 'We are calling you now', 'Enter the last four digits');
			expect(await page.getByLabel('Code').getAttribute('type')).toBe('tel');
			await send(page, 'Code', '12', 'Continue');
			await seen(page, 'That was not the code', 'Tries left: 4');

			await page.reload();
			await seen(page, 'That was not the code', 'Tries left: 4');
			await page.goto(form);
			expect(await page.getByLabel('Phone number').getAttribute('type')).toBe('tel');
			await page.goBack();
			await seen(page, 'That was not the code', 'Tries left: 4');
			await page.getByRole('button', { name: 'Continue' }).click();
			await seen(page, 'Please enter the code', 'If no call came, tick the box');

			const call = n8n.emulator.ledger.calls.at(-1);
			expect(call).toMatchObject({ phone: phone.replace(/\D/g, ''), client: 'form' });
			await send(page, 'Code', call?.code ?? '', 'Continue');
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
		const link = page.getByRole('link', { name: '+7' });
		expect(await link.getAttribute('href')).toBe(`tel:${number}`);
		expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
		await waitsAfter(n8n.client, id, 'Waiting for a Call?');

		await page.reload();
		await seen(page, 'Call this number now', 'within a minute or two');
		expect(await link.getAttribute('href')).toBe(`tel:${number}`);
		expect(await emulator.callFrom(ALWAYS_SUCCEEDS)).toMatchObject({ status: 200 });
		await seen(page, 'Thank you', 'Your phone is verified');

		await ended(id);
		await page.reload();
		await seen(page, 'Thank you', 'Your phone is verified');
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

		await seen(page, 'Thank you', 'Your phone is verified');
	});

	test('whose phone stays silent is verified by a code that a voice says', async () => {
		const { page, id } = await enter('call-and-check-code', PHONE, '+7 916 111-22-33');
		await seen(page, 'We are calling you now', 'No need to answer');
		await isSilent(page);
		await seen(page, 'We are calling you once more', 'please answer: a voice says the code');
		await page.reload();
		await seen(page, 'We are calling you once more', 'Enter the four digits that the voice said');

		const [first, second, ...others] = callsTo('79161112233');
		expect([first?.variant, second?.variant, others]).toEqual(['call', 'voice', []]);
		await send(page, 'Code', second?.code ?? '', 'Continue');
		await seen(page, 'Thank you', 'Your phone is verified');
		expect(await verified(id)).toEqual({
			verified_phone: '79161112233',
			delivery: 'voice',
			vendor_id: second?.vendorId,
		});
	});

	test('whom no call reaches is verified by calling, in the same execution', async () => {
		const { page, id } = await enter('call-and-check-code', PHONE, '+7 916 111-22-44');
		await seen(page, 'We are calling you now');
		await isSilent(page);
		await seen(page, 'We are calling you once more');
		await isSilent(page);
		await seen(page, 'Call this number now', 'from the phone ending in 44');
		const wait = n8n.emulator.ledger.inboundWaits.at(-1);
		const link = page.getByRole('link');
		expect(await link.getAttribute('href')).toBe(`tel:+${wait?.confirmationNumber}`);
		expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
		await waitsAfter(n8n.client, id, 'Waiting for a Call?');

		await page.reload();
		await seen(page, 'Call this number now', 'from the phone ending in 44');
		expect(await n8n.emulator.callFrom('79161112244')).toMatchObject({ status: 200 });
		await seen(page, 'Thank you', 'Your phone is verified');
		expect(callsTo('79161112244')).toHaveLength(2);
		expect(await n8n.client.executions.list(id)).toHaveLength(1);
		expect(await verified(id)).toEqual({
			verified_phone: '79161112244',
			delivery: 'inbound',
			vendor_id: wait?.vendorId,
		});
	});

	test('who says in two tabs that no call came gets the spoken call, not the step after it', async () => {
		const { page } = await enter('call-and-check-code', PHONE, '+7 916 111-22-55');
		await seen(page, 'We are calling you now');
		const other = await page.context().newPage();
		await other.goto(page.url());
		await seen(other, 'We are calling you now');

		await isSilent(page);
		await seen(page, 'We are calling you once more');
		await isSilent(other);
		await seen(other, 'We are calling you once more');
		expect(callsTo('79161112255').map(({ variant }) => variant)).toEqual(['call', 'voice']);
	});

	test('who cannot call is called instead', async () => {
		const { page, id } = await enter('verify-by-inbound-call', PHONE, '+7 916 111-22-66');
		await seen(page, 'Call this number now');
		await page.getByRole('link', { name: 'Call me instead' }).click();
		await send(page, 'Phone number', '+7 916 111-22-66', 'Continue');
		await seen(page, 'We are calling you now', 'Enter the last four digits');

		const [call, ...others] = callsTo('79161112266');
		expect([call?.variant, others]).toEqual(['call', []]);
		await send(page, 'Code', call?.code ?? '', 'Continue');
		await seen(page, 'Thank you', 'Your phone is verified');
		expect(await verified(id)).toMatchObject({ delivery: 'callerNumber' });
	});

	test('who cannot call, and whose phone stays silent when called instead, is verified by calling', async () => {
		const phone = '+7 916 111-22-99';
		const { page, id } = await enter('verify-by-inbound-call', PHONE, phone);
		await seen(page, 'Call this number now');
		await page.getByRole('link', { name: 'Call me instead' }).click();
		await send(page, 'Phone number', phone, 'Continue');
		await seen(page, 'We are calling you now', 'No call came?');
		await page.getByRole('link', { name: 'Call us instead' }).click();
		await send(page, 'Phone number', phone, 'Continue');
		await seen(page, 'Call this number now', 'from the phone ending in 99');
		await waitsAfter(n8n.client, id, 'Waiting for a Call?');

		expect(await n8n.emulator.callFrom('79161112299')).toMatchObject({ status: 200 });
		await seen(page, 'Thank you', 'Your phone is verified');
		expect(callsTo('79161112299')).toHaveLength(1);
		expect(await verified(id)).toMatchObject({ delivery: 'inbound' });
	});

	test('of call-and-check-code, translated, reads no word in English on all ways', async () => {
		const { page, id } = await openForm('call-and-check-code', ABROAD, translated);
		await answer(page, 'Verify your phone', '+7 916 111-22-77');
		await answer(page, 'We are calling you now', '12');
		await answer(page, 'That was not the code', '');
		await foreign(page, 'Please enter the code');
		await isSilent(page);
		await foreign(page, 'We are calling you once more');
		await isSilent(page);
		await foreign(page, 'Call this number now');
		await waitsAfter(n8n.client, id, 'Waiting for a Call?');
		expect(await n8n.emulator.callFrom('79161112277')).toMatchObject({ status: 200 });
		await foreign(page, 'Thank you');

		const { page: refused } = await openForm('call-and-check-code', ABROAD, translated);
		await answer(refused, 'Verify your phone', '8 916 123-45-67');
		await foreign(refused, 'We need the country code');
	});

	test('of verify-by-inbound-call, translated, reads no word in English on both ways', async () => {
		const { page } = await openForm('verify-by-inbound-call', ABROAD, translated);
		await answer(page, 'Verify your phone', '+7 916 111-22-88');
		await foreign(page, 'Call this number now');
		await page.getByRole('link', { name: inCyrillic('Call me instead') }).click();
		await answer(page, 'Verify your phone', '+7 916 111-22-88');
		await foreign(page, 'We are calling you now');
		await answer(page, 'We are calling you now', callsTo('79161112288')[0]?.code ?? '');
		await foreign(page, 'Thank you');
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
			await send(typing, 'Code', '1234', 'Continue');
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

	/** Three visitors on pages that wait for two minutes only. */
	async function openForTooLong() {
		const code = (example: WorkflowFile) =>
			withParameters(example, 'Ask for the Code', { resumeAmount: SHORT });
		const call = (example: WorkflowFile) =>
			withParameters(example, 'Wait for the Call', { limitWaitTime: SHORT });
		const calling = await enter('verify-by-inbound-call', PHONE, '+7 916 555-55-55', call);
		await seen(calling.page, 'Call this number');
		const reloading = await enter('call-and-check-code', DESKTOP, '+7 916 333-33-33', code);
		await seen(reloading.page, 'We are calling');
		const typing = await enter('call-and-check-code', PHONE, '+7 916 444-44-44', code);
		await seen(typing.page, 'We are calling');
		return { calling, reloading, typing };
	}

	/** Publishes the example at a unique address, changed or as it is, and enters a number in its form. */
	async function enter(
		name: keyof typeof BUTTONS,
		device: BrowserContextOptions,
		phone: string,
		change?: (example: WorkflowFile) => WorkflowFile,
	) {
		const { page, form, id } = await openForm(name, device, change);
		await send(page, 'Phone number', phone, BUTTONS[name]);
		return { page, form, id };
	}

	async function openForm(
		name: keyof typeof BUTTONS,
		device: BrowserContextOptions,
		change?: (example: WorkflowFile) => WorkflowFile,
	) {
		const { id, file } = await publishExample(name, randomUUID(), n8n, {}, change);
		const form = formUrl(n8n.url, file);
		const page = await openPage(device);
		await page.goto(form);
		return { page, form, id };
	}

	/** Says that no call came, on a page that is translated or not. */
	async function isSilent(page: Page): Promise<void> {
		await page.getByRole('checkbox').check();
		await page.getByRole('button').click();
	}

	/** Waits for a translated page, which was in English before, and types this in its only field. */
	async function answer(page: Page, title: string, text: string): Promise<void> {
		await foreign(page, title);
		await page.getByRole('textbox').fill(text);
		await page.getByRole('button').click();
	}

	async function foreign(page: Page, title: string): Promise<void> {
		await seen(page, inCyrillic(title));
		const hints = [];
		for (const field of await page.locator('[placeholder]').all()) {
			hints.push(await field.getAttribute('placeholder'));
		}
		expect([await page.locator('body').innerText(), ...hints].join('\n')).not.toMatch(/[a-z]/i);
	}

	const callsTo = (phone: string) =>
		n8n.emulator.ledger.calls.filter((call) => call.phone === phone);

	/** What the steps of the workflow's owner get about the newest visitor. */
	async function verified(workflowId: string) {
		const [newest] = await n8n.client.executions.list(workflowId);
		const until = ['waiting', 'success'] as const;
		const execution = await n8n.client.executions.wait(newest?.id ?? '', {
			until,
			ran: 'Verified',
		});
		return itemsOf(execution, 'Verified')[0];
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
