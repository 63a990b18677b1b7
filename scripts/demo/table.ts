/** A plain text table with aligned columns, for the terminal. */
export function table(headings: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = headings.map((heading, column) =>
		Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
	);
	const line = (cells: readonly string[]) =>
		cells.map((cell, column) => ` ${cell.padEnd(widths[column] ?? 0)} `).join('│');
	const rule = widths.map((width) => '─'.repeat(width + 2)).join('┼');
	return [line(headings), rule, ...rows.map(line)].map((text) => `  ${text}`.trimEnd()).join('\n');
}
