import { accessSync, constants } from 'node:fs';
import { type Browser, chromium, selectors } from 'playwright-core';
import { SetupProblem } from '..';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** The installed Chromium, or undefined if there is none. */
export const chromiumPath = PATHS.find((path) => {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
});

export async function launchChromium(): Promise<Browser> {
	if (chromiumPath === undefined)
		throw new SetupProblem('Chromium was not found. Install it: apt install chromium');
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({ executablePath: chromiumPath, args: FLAGS });
}
