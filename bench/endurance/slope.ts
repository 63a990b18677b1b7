export interface Point {
	readonly x: number;
	readonly y: number;
}

export interface Slope {
	/** Of the straight line that fits best, in y per x. */
	readonly slope: number;
	/** How far the points alone leave it open: the slope is within two of these with a likelihood of 95 %. */
	readonly error: number;
}

/** Least squares; the error is that of points whose distances from the line are by chance and of one size. */
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
