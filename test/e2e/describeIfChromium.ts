import { chromiumPath } from '../../harness/browser/chromium';

/** Without Chromium a suite is skipped, and counted as such. */
export const describeIfChromium = chromiumPath === undefined ? describe.skip : describe;
