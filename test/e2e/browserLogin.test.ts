import type { Page } from 'playwright-core';
import { ucaller } from '../../emulator/played/ucaller';
import { waitUntil } from '../../harness';
import { LoginApi, withCallOptions } from '../../harness/workflows/loginApi';
import { describeVisitors, PHONE } from './inBrowser';
import { type Site, startSite } from './loginSite';
import { waitsAfter } from './waitsAfter';

const RINGING = 'it is ringing now';
/** Cooldown per Number in the example. */
const COOLDOWN = 60_000;

describeVisitors(
	'the login page of the documentation, on a phone',
	// A number is called once in 15 seconds, and whoever asks sooner is told so.
	{
		callResultAfterMs: 0,
		numberLimits: ucaller.numberLimits,
		refusalCodes: ucaller.refusalCodes,
	},
	(n8n, openPage) => {
		let api: LoginApi;
		let site: Site;
		const sites: Site[] = [];

		const callsTo = (phone: string) =>
			n8n.emulator.ledger.calls.filter((call) => call.phone === phone);
		/** The page says after a second that it is ringing, though the service may wait with the call. */
		const codeOfCall = async (count: number, phone: string) => {
			await waitUntil(async () => callsTo(phone).length >= count || undefined, {
				what: `call ${count} to ${phone} is made`,
			});
			return callsTo(phone).at(-1)?.code ?? '';
		};

		beforeAll(async () => {
			[api, site] = await publish('page', 60);
		});

		afterAll(async () => await Promise.all(sites.map(async ({ process }) => await process.stop())));

		/** All visitors have the same address here, which may request so many calls. */
		async function publish(name: string, maxCallsPerKey: number): Promise<[LoginApi, Site]> {
			const change = withCallOptions({ maxCallsPerKey });
			const prefix = `login-${name}-${n8n.line.replace('.', '-')}`;
			const published = await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix, change });
			const started = await startSite('js', published);
			sites.push(started);
			return [published, started];
		}

		async function open(phone: string, { url } = site): Promise<Page> {
			const page = await openPage(PHONE);
			await page.goto(`${url}/login`);
			await type(page, 'Phone', phone);
			return page;
		}

		async function type(page: Page, field: string, value: string): Promise<void> {
			await page.getByLabel(field).fill(value);
			await page.getByRole('button', { name: 'Continue' }).click();
		}

		async function expectToFit(page: Page): Promise<void> {
			const width = await page.evaluate<number>('document.documentElement.scrollWidth');
			expect(width).toBeLessThanOrEqual(PHONE.viewport.width);
		}

		test('logs a person in, and again at once after a log-out', async () => {
			const phone = '79165556677';
			const page = await open('8 (916) 555-66-77');
			await page.getByText(RINGING).waitFor();
			const code = await codeOfCall(1, phone);
			await type(page, 'Code', code === '1234' ? '4321' : '1234');
			await page.getByText('That did not work').waitFor();
			await expectToFit(page);
			await type(page, 'Code', code);
			await page.getByText(`Logged in: ${phone}`).waitFor();

			const later = await open(`+${phone}`);
			await later.getByText(RINGING).waitFor();
			await type(later, 'Code', await codeOfCall(2, phone));
			await later.getByText(`Logged in: ${phone}`).waitFor();
			expect(callsTo(phone)).toHaveLength(2);
		});

		test('a person whose phone stays silent hears the code', async () => {
			const phone = '79165556678';
			const page = await open(`+${phone}`);
			await page.getByText(RINGING).waitFor();
			await page.getByRole('button', { name: 'No call came? Hear the code' }).click();
			await page.getByText('enter the four digits that you hear').waitFor();
			const spoken = await codeOfCall(2, phone);
			expect(callsTo(phone).map(({ variant }) => variant)).toEqual(['call', 'voice']);
			await type(page, 'Code', spoken);
			await page.getByText(`Logged in: ${phone}`).waitFor();
		});

		test('a person who gets neither call calls the number on the page, and is logged in', async () => {
			const phone = '79165556679';
			const page = await open(`+${phone}`);
			await page.getByText(RINGING).waitFor();
			await page.getByRole('button', { name: 'No call came? Hear the code' }).click();
			await page.getByText('that you hear').waitFor();
			await page.getByRole('button', { name: 'No call came? Call us' }).click();
			const number = page.getByRole('link');
			await number.waitFor();
			const shown = n8n.emulator.ledger.inboundWaits.at(-1)?.confirmationNumber;
			expect(await number.getAttribute('href')).toBe(`tel:+${shown}`);
			expect((await number.innerText()).replace(/\s/g, '')).toBe(`+${shown}`);
			await expectToFit(page);
			expect(await page.getByText(RINGING).count()).toBe(0);
			await waitsAfter(n8n.client, api.workflowId, 'Number and Token');
			await n8n.emulator.callFrom(phone);
			await page.getByText(`Logged in: ${phone}`).waitFor();
		});

		test('counts down to the next call, and never says that it rings when it does not', async () => {
			const phone = '79165556680';
			const first = await open(`+${phone}`);
			await first.getByText(RINGING).waitFor();
			const second = await open(`+${phone}`);
			await second.getByText('We called you a moment ago').waitFor();
			const again = second.getByRole('button', { name: /^Call me again in \d+ s$/ });
			await again.waitFor();
			expect(await again.isDisabled()).toBe(true);
			expect(await second.getByText(RINGING).count()).toBe(0);
			expect(callsTo(phone)).toHaveLength(1);

			const third = await open('my phone');
			await third.getByText('Please enter your whole phone number').waitFor();
			expect(await third.getByText(RINGING).count()).toBe(0);
			expect(await third.getByLabel('Code').isVisible()).toBe(false);

			await second
				.getByRole('button', { name: 'Call me again', exact: true })
				.click({ timeout: 3 * COOLDOWN });
			await second.getByText(RINGING).waitFor();
			expect(callsTo(phone)).toHaveLength(2);
		});

		test('offers a number to call to a visitor who has requested too many calls', async () => {
			const [, limited] = await publish('limited', 1);
			await (await open('+79165556681', limited)).getByText(RINGING).waitFor();
			const page = await open('+79165556682', limited);
			await page.getByText('You have asked for several calls already').waitFor();
			expect(await page.getByText(RINGING).count()).toBe(0);
			await page.getByRole('button', { name: 'Call us' }).click();
			await page.getByRole('link').waitFor();
			expect(callsTo('79165556682')).toEqual([]);
		});
	},
);
