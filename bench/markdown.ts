import type { Table } from './tables';

export function markdown(table: Table): string {
	return `### ${table.title}\n\n${markdownTable(table)}`;
}

export function markdownTable({ head, rows }: Table): string {
	const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
	const rule = line(head.map((_, column) => (column === 0 ? '---' : '---:')));
	return [line(head), rule, ...rows.map(line)].join('\n');
}
