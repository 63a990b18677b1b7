import { describeInOwnN8n } from './inN8n';

const { CRM_CONTACTS } = process.env;

/** How many contacts a CRM has: a second page of each, and enough to be killed in between. `npm run test:crms` has 1,000. */
export const CRM_SIZE = Number(CRM_CONTACTS ?? 300);

/** These tests start n8n a dozen times in each line, so they run in 1.x only with `npm run test:crms`. */
export const describeCrm: typeof describeInOwnN8n = (title, prepare, tests) =>
	describeInOwnN8n(title, prepare, tests, CRM_CONTACTS === undefined ? ['2.x'] : undefined);

/** One line between those of the tests. */
export function printCounts(version: string, counts: Readonly<Record<string, number>>): void {
	const text = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
	process.stdout.write(`n8n ${version}: ${text.join(', ')}\n`);
}
