import type { Browser, Page } from 'playwright-core';

import type { Theme } from '../../harness/browser/editor';
import { type Demo, formOf } from '../demo/startDemo';
import type { Frame } from './apng';

/** Each recording calls another number, because a number is called only once in a minute. */
const PHONES: Readonly<Record<Theme, string>> = {
	light: '+7 900 123-45-77',
	dark: '+7 900 123-45-78',
};

/** Leaves room for a phone on the right. */
const STAGE = `
	html, body { overflow: hidden; height: 100%; }
	.container { position: absolute; left: 48px; top: 50%; transform: translateY(-50%); width: 380px !important; max-width: none !important; padding: 0 !important; }
	.card { margin: 0 !important; }
	#phone { position: absolute; right: 64px; top: 50%; width: 172px; height: 344px; margin-top: -172px;
		border: 6px solid #3d3f4a; border-radius: 28px; background: #111218; color: #f1f1f4; text-align: center;
		font-family: var(--font-family); display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 10px; }
	#phone.left { transform: rotate(-3deg); } #phone.right { transform: rotate(3deg); }
	#phone .what { font-size: 14px; color: #b6b8c2; } #phone .number { font-size: 15px; white-space: nowrap; }
	#phone .number b { color: #ff8a7a; font-size: 19px; }
	#phone .keys { display: flex; gap: 36px; margin-top: 60px; } #phone i { width: 40px; height: 40px; border-radius: 50%; background: #e5484d; }
	#phone i + i { background: #30a46c; }`;

/** What the visitor of the example call-and-check-code sees, with their phone beside it. */
export async function recordVerification(
	browser: Browser,
	demo: Demo,
	theme: Theme,
): Promise<Frame[]> {
	const page = await openVisitor(browser, theme);
	const frames: Frame[] = [];
	const show = async (ms: number) => {
		frames.push({ png: await page.screenshot({ animations: 'disabled', caret: 'hide' }), ms });
	};
	const type = async (label: string, text: string, ms: number) => {
		for (let length = 1; length <= text.length; length += 1) {
			if (text[length - 1] === ' ') continue;
			await page.getByLabel(label).fill(text.slice(0, length));
			await show(ms);
		}
	};
	const phone = PHONES[theme];

	await page.goto(await formOf(demo, 'call-and-check-code'));
	await page.getByLabel('Phone number').waitFor();
	await stage(page, theme, '');
	await show(1_000);
	await type('Phone number', phone, 90);
	await show(500);
	await page.getByRole('button', { name: 'Call me' }).click();

	await page.getByLabel('Code').waitFor();
	const code = codeFor(demo, phone);
	const ringing = `<div class="what">Incoming call</div><div class="number">+7 495 555 <b>${code}</b></div><div class="keys"><i></i><i></i></div>`;
	await stage(page, theme, ringing);
	for (const side of ['left', 'right', 'left', 'right', 'left', 'right', 'left', 'right']) {
		await page.evaluate(`document.querySelector('#phone').className = '${side}'`);
		await show(220);
	}
	await page.evaluate(`document.querySelector('#phone').className = ''`);
	await show(600);
	await type('Code', code, 320);
	await show(400);
	await page.getByRole('button', { name: 'Continue' }).click();

	await page.getByText('Your phone is verified').waitFor();
	await stage(page, theme, '');
	await show(2_500);
	await page.context().close();
	return frames;
}

/** The form on the left, and the phone with this on its screen on the right. */
async function stage(page: Page, theme: Theme, screen: string): Promise<void> {
	await dress(page, theme, STAGE);
	await page.evaluate(
		`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(`<div id="phone">${screen}</div>`)})`,
	);
}

/** The code with which the emulated service has called the number. */
function codeFor({ emulator }: Demo, phone: string): string {
	const digits = phone.replace(/\D/g, '');
	const call = emulator.ledger.calls.filter((each) => each.phone === digits).at(-1);
	if (call === undefined) throw new Error(`Nobody has called ${phone}`);
	return call.code;
}

const SIZE = { width: 720, height: 400 };
/** Sharp on screens with more pixels, and still small as a file. */
const PIXELS = 1.5;

/** n8n's forms have no dark theme, but take their colors from variables; the last three rules are for pages of our own. */
const DARK = `:root {
	--color-background: #1b1c22; --color-card-bg: #26272f; --color-card-border: #3a3c47;
	--color-header: #f1f1f4; --color-label: #d4d5db; --color-header-subtext: #b6b8c2; --color-link: #b6b8c2;
	--color-input-bg: #1b1c22; --color-input-border: #4a4d5a; --color-input-text: #f1f1f4; --color-html-text: #d4d5db;
}
.form-header p, .header p { color: #b6b8c2; }
.form-header a { color: #a9b8ff; }
.form-input::placeholder { color: #9a9ca8; opacity: 1 !important; }
body { background: #1b1c22 !important; color: #d4d5db !important; }
main { background: #26272f !important; border-color: #3a3c47 !important; }
.number { color: #f1f1f4 !important; }`;

/** A browser window with a visitor of n8n's forms. */
export async function openVisitor(browser: Browser, theme: Theme): Promise<Page> {
	const context = await browser.newContext({
		viewport: SIZE,
		deviceScaleFactor: PIXELS,
		colorScheme: theme,
		bypassCSP: true,
	});
	const page = await context.newPage();
	page.setDefaultTimeout(60_000);
	// The fonts of n8n's forms are on the internet, and a page that waits for them is not shown.
	await page.route(/fonts\.g|n8n\.io/, async (route) => await route.abort());
	return page;
}

export async function dress(page: Page, theme: Theme, style = ''): Promise<void> {
	await page.addStyleTag({ content: `${theme === 'dark' ? DARK : ''}\n${style}` });
}
