/** The smallest value that at least this share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
	const place = Math.max(Math.ceil(share * values.length) - 1, 0);
	return values.toSorted((a, b) => a - b)[place] ?? NaN;
}

/** Half of the values are below it; for an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
	const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
	return (lower + upper) / 2;
}
