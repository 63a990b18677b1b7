/** The outcome of some work as a value, so that it can be inspected before throwing. */
export type Settled<T> = { ok: true; value: T } | { ok: false; error: unknown };

export async function settle<T>(work: () => Promise<T>): Promise<Settled<T>> {
	try {
		return { ok: true, value: await work() };
	} catch (error) {
		return { ok: false, error };
	}
}

export function unsettle<T>(settled: Settled<T>): T {
	if (settled.ok) return settled.value;
	throw settled.error;
}
