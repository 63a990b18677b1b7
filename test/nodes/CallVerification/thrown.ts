/** The error that the work fails with. */
export function thrownBy(work: () => unknown): unknown {
	try {
		work();
	} catch (error) {
		return error;
	}
	throw new Error('Nothing was thrown');
}
