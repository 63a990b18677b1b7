import type { Table } from './tables';

export function printTable({ title, head, rows }: Table): void {
	const lines = [head, ...rows];
	const widths = head.map((_, column) =>
		Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
	);
	const print = (cells: string[]): void =>
		console.log(cells.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '));
	console.log(`\n${title}`);
	lines.forEach(print);
}

/** Names are left-aligned, numbers right-aligned. */
function pad(cell: string, width: number, column: number): string {
	return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
