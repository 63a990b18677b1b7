/** A table, printed in the terminal or written into a page. */
export interface Table extends Cells {
	readonly title: string;
}

interface Cells {
	readonly head: readonly string[];
	readonly rows: ReadonlyArray<readonly string[]>;
}

/** How the columns after the first are aligned: those of figures are easier to compare if they end together. */
type Alignment = 'left' | 'right';

export function printTable(table: Table): void {
	console.log(`\n${table.title}\n${textTable(table, 'right')}`);
}

/** For the terminal. */
export function textTable({ head, rows }: Cells, others: Alignment = 'left'): string {
	const widths = head.map((heading, column) =>
		Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: readonly string[]) =>
		cells
			.map((cell, column) => {
				const width = widths[column] ?? 0;
				const isLeft = column === 0 || others === 'left';
				return ` ${isLeft ? cell.padEnd(width) : cell.padStart(width)} `;
			})
			.join('│');
	const rule = widths.map((width) => '─'.repeat(width + 2)).join('┼');
	return [line(head), rule, ...rows.map(line)].map((text) => `  ${text}`.trimEnd()).join('\n');
}

export function markdown(table: Table): string {
	return `### ${table.title}\n\n${markdownTable(table, 'right')}`;
}

export function markdownTable({ head, rows }: Cells, others: Alignment): string {
	const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	const rule = head.map((_, column) => (column === 0 || others === 'left' ? '---' : '---:'));
	return [head, rule, ...rows].map(line).join('\n');
}

export function times(value: number): string {
	return `${value.toFixed(value < 10 ? 2 : 1)} ×`;
}

export function percent(share: number): string {
	return `${(share * 100).toFixed(1)} %`;
}

export function count(value: number): string {
	return value.toLocaleString('en-US');
}

export function megabytes(bytes: number, decimals = 0): string {
	return `${(bytes / 1e6).toFixed(decimals)} MB`;
}
