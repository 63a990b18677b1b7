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

interface Point {
	readonly x: number;
	readonly y: number;
}

interface Slope {
	/** Of the best-fitting straight line, in y per x. */
	readonly slope: number;
	/** The uncertainty of the points alone: the slope is within two of these with a probability of 95 %. */
	readonly error: number;
}

/** Least squares; the error assumes random, equally large distances of the points from the line. */
export function slopeOf(points: readonly Point[]): Slope {
	const n = points.length;
	const meanX = sum(points.map(({ x }) => x)) / n;
	const meanY = sum(points.map(({ y }) => y)) / n;
	const spread = sum(points.map(({ x }) => (x - meanX) ** 2));
	const slope = sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
	const distances = points.map(({ x, y }) => y - meanY - slope * (x - meanX));
	const variance = sum(distances.map((distance) => distance ** 2)) / (n - 2);
	return { slope, error: Math.sqrt(variance / spread) };
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}
