import type { PinnedLine } from '../../harness';

const SIZES = { '2.x': 1_000, '1.x': 300 };

/**
 * How many contacts a CRM has. n8n 1.x gets fewer, because it keeps results more slowly, and the workflow is the same;
 * CRM_CONTACTS=1000 gives both lines as many.
 */
export function crmSize(line: PinnedLine): number {
	return Number(process.env.CRM_CONTACTS ?? SIZES[line]);
}

/** One line between those of the tests. */
export function printCounts(version: string, counts: Readonly<Record<string, number>>): void {
	const text = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
	process.stdout.write(`n8n ${version}: ${text.join(', ')}\n`);
}
