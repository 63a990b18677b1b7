import { sameNumberKey } from '../../nodes/CallVerification/phones/phone';

const KINDS = 12;

/**
 * A real-life list: several countries, duplicates written in two ways, bad numbers, rows without a number, and a name
 * that needs quotes.
 */
export function listRows(count: number, first = 0): string[] {
	return Array.from({ length: count }, (_none, index) => rowOf(first + index));
}

export function csvOf(rows: readonly string[]): string {
	return `${['name,phone,email', ...rows].join('\n')}\n`;
}

/** The distinct numbers of the rows, as the service counts them. */
export function keysOf(rows: readonly string[]): Set<string> {
	const keys = rows.map(keyOf).filter((key) => key !== '');
	return new Set(keys);
}

export function keyOf(row: string): string {
	return sameNumberKey(row.split(',').at(-2) ?? '').trim();
}

function rowOf(index: number): string {
	const number = String(index).padStart(6, '0');
	const phone = phoneOf(index % KINDS, number, String(index - 1).padStart(6, '0'));
	return `"Person ${index}, Ltd",${phone},person${index}@example.com`;
}

function phoneOf(kind: number, number: string, previous: string): string {
	if (kind === 0) return '';
	if (kind === 1) return `+7 200 0${number}`;
	if (kind === 2) return `+44 7700 ${number}`;
	if (kind === 3) return `44 (7700) ${previous}`;
	if (kind === 4) return `+1 202 5${number}`;
	if (kind === 5) return `7 701 1${number}`;
	return `+7 9${kind % 10}6 1${number}`;
}
