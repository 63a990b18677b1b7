import { chromiumPath } from './chromium';

/** Without Chromium a suite is skipped, and counted as such. */
export const describeIfChromium = chromiumPath === undefined ? describe.skip : describe;
