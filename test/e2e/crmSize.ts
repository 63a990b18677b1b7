/** How many contacts a CRM has: a second page of each, and enough to be killed in between. `npm run test:crms` has 1,000. */
export const CRM_SIZE = Number(process.env.CRM_CONTACTS ?? 300);

/** One line between those of the tests. */
export function printCounts(version: string, counts: Readonly<Record<string, number>>): void {
	const text = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
	process.stdout.write(`n8n ${version}: ${text.join(', ')}\n`);
}
